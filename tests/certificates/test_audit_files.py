"""What the audit reads: rows in every format, damaged models; and its command."""

import csv
import json
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import levcert
from levcert import Alphabet, InputError, VoteModel
from levcert.certificates.audit import (
    AuditReport,
    audit,
    audit_each,
    read_classifier,
)
from levcert.cli.app import app
from levcert.models.votes import UNIT
from tests.certificates.audit_cases import ANY, UNKNOWN, check, convolution, row, truth, votes


class TestFiles:
    @pytest.fixture
    def path(self, saved):
        return saved(votes(Alphabet("abc"), 0))

    def write(self, path, rows):
        names = dict.fromkeys(name for fields in rows for name in fields)
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(fields) + "\n" for fields in rows))
        else:
            with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                writer = csv.DictWriter(file, list(names))
                writer.writeheader()
                writer.writerows(rows)
        return path

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_formats(self, path, tmp_path, ending):
        model = levcert.load(path)
        hostile = [
            "",
            "a\r\nb",
            '"a",b',
            "a\0b",
            "\x1b[31mabc",
            "a\u202eb",
            "ABC" + UNKNOWN,
            "\r",
            "a\U0001f600b",
            "[bold]a",
        ]
        hostile += ["\ud800a"] if ending != "parquet" else []
        rows = []
        for text in hostile:
            label, nearest = truth(model, text, ANY, 1)
            other = {} if nearest is None else {"upper": 1, "counterexample": nearest[1], "claim": "exact"}
            rows.append(row(text, label, int(nearest is None)) | other)
        report = audit(path, self.write(tmp_path / f"rows.{ending}", rows))
        assert [finding.text for finding in report.findings] == hostile
        assert report.counts["confirmed by enumeration"] == len(hostile), report.findings
        forged = [fields | {"label": "label 0" if fields["label"] == "label 1" else "label 1"} for fields in rows]
        assert len(audit(path, self.write(tmp_path / f"forged.{ending}", forged)).refuted) == len(hostile)

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_bytes(self, saved, tmp_path, ending):
        model = votes(Alphabet.bytes(), 1)
        texts = [b"", b"\x00\xff", "ä€".encode(), b"\r\n"]
        rows = []
        for text in texts:
            label, nearest = truth(model, text, ANY, 1)
            fields = row(text, label, 0, "exact", *(reversed(nearest)) if nearest else ())
            if nearest is None:
                fields["claim"] = "proved"
            if ending != "parquet":
                for name in ("text", "counterexample"):
                    value = fields.pop(name)
                    fields[f"{name}_hex"] = None if value is None else value.hex()
            rows.append(fields)
        report = audit(saved(model), self.write(tmp_path / f"rows.{ending}", rows))
        assert [finding.text for finding in report.findings] == texts
        assert report.counts["confirmed by enumeration"] == len(texts), report.findings

    def test_a_str_is_its_bytes_to_a_byte_model(self, saved):
        model = votes(Alphabet.bytes(), 1)
        label = str(model.predict(["ä\udcff"])[0])
        fields = row("ä\udcff", label, 0) | {"unit": "bytes"}
        assert check(saved(model), fields).verdict == "confirmed by enumeration"
        with pytest.raises(InputError, match="Row 1: the text contains a lone surrogate"):
            check(saved(model), fields | {"text": "\ud800"})

    def test_limits_and_samples(self, path):
        rows = [row("a" * n, "label 0", 0) for n in range(10)]
        assert [finding.row for finding in audit_each(path, rows, limit=3)] == [1, 2, 3]
        sampled = [finding.row for finding in audit_each(path, rows, sample=4, seed=1)]
        assert len(sampled) == 4
        assert sampled == sorted(sampled) == [finding.row for finding in audit_each(path, rows, sample=4, seed=1)]

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"radius": "many"}, "Row 1 is not a certificate: invalid literal"),
            ({"radius": 1.5}, "Row 1 is not a certificate: 1.5 is not a whole number"),
            ({"label": None}, "Row 1 is not a certificate: it has no label"),
            ({"text": None}, "Row 1 is not a certificate: it has no text"),
            ({"text": 7}, "Row 1 is not a certificate: a column has another type"),
            ({"upper": 1}, "without the counterexample"),
            ({"counterexample": "b"}, "without its distance"),
            ({"text": b"a"}, "Row 1: the text is bytes, but the model reads characters"),
            ({"unit": "bytes"}, "Row 1 speaks of edits of bytes, and the model reads characters"),
            ({"threat": "{"}, "Row 1 is not a certificate"),
            ({"threat": '{"operations": ["swap"]}'}, "Row 1 has a threat that cannot be read"),
            ({"threat": '{"operations": ["insert"], "new": 1}'}, "Row 1 has a threat that cannot be read"),
            ({"threat": "[1]"}, "Row 1 has a threat that cannot be read"),
        ],
    )
    def test_bad_rows_are_one_sentence(self, path, fields, message):
        with pytest.raises(InputError, match=message.replace("(", r"\(")):
            check(path, row("a", "label 0", 0) | fields)

    def test_bad_files_are_one_sentence(self, path, tmp_path):
        for name, content in {"a.csv": b"text,label\nx", "a.jsonl": b"{", "b.jsonl": b"[]\n", "a.parquet": b"no",
                              "a.txt": b"", "c.csv": b"\xff\n\xff"}.items():  # fmt: skip
            (tmp_path / name).write_bytes(content)
            with pytest.raises(InputError):
                audit(path, tmp_path / name)
        for name in ("none.csv", "none.parquet", "none"):
            with pytest.raises(InputError, match="Cannot read"):
                audit(path, tmp_path / name)
        assert audit(path, self.write(tmp_path / "empty.jsonl", [])) == AuditReport(())
        assert str(AuditReport(())) == "0 rows: nothing to check"


class TestDamagedModels:
    def damaged(self, model, path):
        """Give the parts of a model file, and a function that writes them."""
        model.save(path)
        content = path.read_bytes()
        (length,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + length])
        fields = json.loads(header["__metadata__"]["levcert"])

        def write(header=header, fields=fields, data=content[8 + length :]):
            unsigned = {name: value for name, value in fields.items() if name != "sha256"}  # as version 0.1 wrote it
            header["__metadata__"] = {"levcert": json.dumps(unsigned)}
            encoded = json.dumps(header).encode()
            path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)
            return path

        return header, fields, content[8 + length :], write

    @pytest.mark.parametrize("make", [lambda: votes(Alphabet("ab"), 0), lambda: convolution(Alphabet("ab"), 0, (2, 2))])
    def test_whatever_is_wrong_is_one_sentence(self, make, tmp_path):
        path = tmp_path / "model.safetensors"
        header, fields, data, write = self.damaged(make(), path)
        assert read_classifier(write()).labels
        tensor = next(name for name in header if name not in ("__metadata__", "used_rows"))
        wrong = [
            {"fields": fields | change}
            for change in (
                {"format_version": 2}, {"kind": "tree"}, {"kind": None}, {"alphabet": {"kind": "bytes"}},
                {"alphabet": 7},
                {"alphabet": fields["alphabet"] | {"symbols": "aa"}}, {"labels": ["x"]}, {"labels": ["x", "x"]},
                {"labels": ["x", "y", "z"]}, {"labels": 3}, {"options": {}}, {"options": None},
                {"options": fields["options"] | {"rows": 3, "layers": 3, "activation": "sigmoid"}},
                {"options": fields["options"] | {"orders": [0], "layers": 0}},
                {"options": fields["options"] | {"orders": 2, "layers": "1"}},
            )
        ]  # fmt: skip
        wrong += [
            {"header": header | {tensor: header[tensor] | change}}
            for change in ({"dtype": "F8"}, {"shape": [1]}, {"shape": [-1, -1]}, {"data_offsets": [0, 10**9]})
        ]
        wrong += [{"header": header | {"more": header[tensor]}}, {"data": data[:-1]}, {"data": data + b"x"}]
        if "kernel.0" in header:
            wrong.append({"data": struct.pack("<d", float("nan")) + data[8:]})
        for change in wrong:
            if (
                "fields" in change
                and isinstance(make(), VoteModel)
                and change["fields"]["alphabet"] == {"kind": "bytes"}
            ):
                continue  # a table of hashes fits every alphabet
            with pytest.raises(InputError, match="Cannot read the model") as caught:
                read_classifier(write(**change))
            assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "content", [b"", b"1234567", b"\xff" * 16, struct.pack("<Q", 2) + b"{}", struct.pack("<Q", 2) + b"[]"]
    )
    def test_files_that_are_no_models(self, content, tmp_path):
        path = tmp_path / "model.safetensors"
        path.write_bytes(content)
        with pytest.raises(InputError, match="Cannot read the model"):
            read_classifier(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(InputError, match="Cannot read the model"):
            audit(tmp_path / "none.safetensors", [])

    def test_few_used_rows_are_read_as_all(self, tmp_path):
        model = votes(Alphabet("abc"), 5, orders=(2, 3), share=0.01)
        model.save(tmp_path / "model.safetensors")
        header, *_ = self.damaged(model, tmp_path / "model.safetensors")
        assert "used_rows" in header
        classifier = read_classifier(tmp_path / "model.safetensors")
        for ids in ((), (1, 2, 3, 1), (3,) * 9):
            expected = model.encoded_scores(levcert.text.alphabet.EncodedTexts.single(np.array(ids, dtype=np.int32)))[0]
            assert (np.array(classifier.scores(ids)) * UNIT == expected).all()


class TestTheCommand:
    @pytest.fixture
    def files(self, tmp_path):
        model = votes(Alphabet("abc"), 0)
        model.save(tmp_path / "model.safetensors")
        label = str(model.predict(["a\x1b[31mb"])[0])
        other = next(name for name in model.labels if name != label)
        lines = [json.dumps(row("a\x1b[31mb", name, 0)) + "\n" for name in (label, other)]
        (tmp_path / "true.jsonl").write_text(lines[0])
        (tmp_path / "forged.jsonl").write_text("".join(lines))
        return tmp_path

    def run(self, *arguments, stdin=None):
        return CliRunner(env={"COLUMNS": "200"}).invoke(app, ["audit", *map(str, arguments)], input=stdin)

    def test_exit_codes(self, files):
        model = files / "model.safetensors"
        assert self.run(model, files / "true.jsonl").exit_code == 0
        assert self.run(model, files / "forged.jsonl").exit_code == 1
        assert self.run(model, files / "forged.jsonl", "--limit", 1).exit_code == 0
        assert self.run(model, files / "none.jsonl").exit_code == 2
        assert self.run(files / "true.jsonl", files / "true.jsonl").exit_code == 2
        assert self.run(model, files / "true.jsonl", "--texts", 0).exit_code == 2

    def test_refutations_are_printed_for_a_terminal(self, files):
        result = self.run(files / "model.safetensors", files / "forged.jsonl")
        assert "row 2: REFUTED: the text has the label" in result.stdout
        assert "a\\x1b[31mb" in result.stdout
        assert "\x1b" not in result.stdout

    def test_json(self, files):
        result = self.run(files / "model.safetensors", "-", "--json", stdin=(files / "forged.jsonl").read_text())
        facts = json.loads(result.stdout)
        assert facts["rows"] == 2
        assert facts["counts"]["REFUTED"] == 1
        assert [finding["row"] for finding in facts["findings"]] == [1, 2]
        assert facts["findings"][1]["text"] == "a\x1b[31mb"
