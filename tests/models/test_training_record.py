import pytest

from levcert import InputError
from levcert.models.training_record import TrainingRecord


@pytest.mark.parametrize("fields", [{}, {"seed": 4}, {"config": {"p": 2}, "metrics": {"test": 0.5}, "model": "votes"}])
def test_a_record_gives_back_what_a_file_said(fields):
    record = TrainingRecord.of(fields)
    assert record.to_dict() == fields
    assert TrainingRecord.of(record) is record


def test_what_was_not_measured_is_none():
    assert TrainingRecord().test_accuracy is None
    assert TrainingRecord(metrics={"test": 0.5, "seconds": 3.0}).test_accuracy == 0.5
    assert TrainingRecord(metrics={"seconds": 3.0}).seconds == 3.0


@pytest.mark.parametrize("fields", [{"config": 3}, {"data": []}, {"metrics": "x"}])
def test_parts_that_are_not_tables_are_refused(fields):
    with pytest.raises(InputError, match="table of names"):
        TrainingRecord.of(fields)
