"""docs/exact-radius.md, lemma by lemma, against enumeration (radius_oracle.py shares no code with the search)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import levcert
from levcert import Alphabet, Threat, VoteModel
from levcert.certifiers.base import Batch
from levcert.certifiers.lipschitz import window_ranges
from levcert.certifiers.search import edit_chains
from levcert.certifiers.search.budget import Budget
from levcert.certifiers.search.clusters import NO_CLUSTERS, best_script
from levcert.certifiers.search.edges import Edges
from levcert.certifiers.search.edit_chains import ChainCosts
from levcert.certifiers.search.ground import TextGround
from levcert.certifiers.search.paths import ClassSearch
from levcert.certifiers.search.refine import Refine, edited
from levcert.kernels.search.clusters import exact_loss
from levcert.kernels.search.pairs import refine_edges
from levcert.text.edits import OPERATIONS
from tests.slow_twins import VOTE_MODELS, random_votes
from tests.theory.radius_fuzz import check
from tests.theory.radius_oracle import all_scores, ball, delete_mask, radius_up_to

S, I, D = 0, 1, 2  # noqa: E741
OPERATION_SETS = [
    frozenset(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(sorted(OPERATIONS), size)
]


def texts_for(model, longest):
    return st.text(st.sampled_from(model.alphabet.symbols), max_size=longest)


def search_for(model, text, operations=OPERATIONS, symbols=None, neighbours=None):
    """One other class of a text, and everything about it."""
    batch = Batch(model, [text], Threat(operations, symbols, neighbours))
    ground = TextGround(batch, 0)
    return ClassSearch(ground, next(iter(ground.margins)), Budget())


def end(move):
    return move[1] + (move[0] != I)


def scripts(search, k):
    """All scripts of k edits in the canonical order: no insertion right behind a deletion."""
    insert, replace, delete = search.text.allowed
    ids = search.text.ids

    def moves(t, kind):
        if kind == I:
            return [(I, t, c + 1) for c in np.flatnonzero(insert)]
        if t == len(ids):
            return []
        if kind == D:
            return [(D, t, 0)] if delete[ids[t] - 1] else []
        return [(S, t, c + 1) for c in np.flatnonzero(replace[ids[t] - 1])]

    def after(start, left, last):
        if left == 0:
            yield []
            return
        for t in range(start, len(ids) + 1):
            for kind in (I, S, D):
                if kind == I and last == D and t == start:
                    continue
                for move in moves(t, kind):
                    for rest in after(end(move), left - 1, kind):
                        yield [move, *rest]

    return after(0, k, None)


def loss_of(search, script):
    """What a script takes from the margin, by scoring whole texts."""
    ids, y, other = search.text.ids, search.text.label, search.other
    before, after = all_scores(search.text.model, [tuple(ids.tolist()), tuple(edited(ids, script).tolist())])
    return int((before[y] - before[other]) - (after[y] - after[other]))


def clusters_of(search, script):
    """Cut a script where R − 1 or more symbols are kept."""
    parts = [[script[0]]]
    for before, move in itertools.pairwise(script):
        if move[1] - end(before) >= search.text.model.width - 1:
            parts.append([])
        parts[-1].append(move)
    return parts


def edges_of(search, cluster):
    """The near edges of a cluster as rows: kind, t, gap, second kind, left, right."""
    far = search.text.model.width - 1
    gaps = [far, *(move[1] - end(before) for before, move in itertools.pairwise(cluster)), far]
    return [
        (a[0], a[1], gaps[i + 1], b[0], gaps[i], gaps[i + 2]) for i, (a, b) in enumerate(itertools.pairwise(cluster))
    ]


def refined(search, rows):
    """The exact maxima of edges over both symbols, doubled."""
    columns = np.array(rows, dtype=np.int32).reshape(-1, 6)
    values, needs = np.full(len(rows), 1 << 30), np.full(len(rows), -(1 << 30))
    exact, symbols = np.zeros(len(rows), dtype=np.int32), np.zeros((len(rows), 2), dtype=np.int32)
    destroyed = search.text.tables[2][search.other]
    refine_edges(search.ground, destroyed, columns, np.arange(len(rows)), needs, values, exact, symbols)
    assert exact.all()
    return values


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 3))
@settings(max_examples=40)
def test_lemma_order_canonical_scripts_reach_every_text(data, operations, k):
    model = random_votes(1, symbols=data.draw(st.integers(1, 3)))
    search = search_for(model, data.draw(texts_for(model, 5 - k)), operations)
    insert, replace, delete = search.text.allowed
    found = {tuple(search.text.ids.tolist())}
    for e in range(1, k + 1):
        found |= {tuple(edited(search.text.ids, script).tolist()) for script in scripts(search, e)}
    assert found == set(ball(tuple(search.text.ids.tolist()), k, insert, replace, delete))


@given(st.data(), st.sampled_from(OPERATION_SETS), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_lemma_clusters_losses_of_clusters_add_up(data, operations, random):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 8)), operations)
    some = list(itertools.islice(scripts(search, 3), 3000))
    for script in random.sample(some, min(len(some), 20)):
        parts = clusters_of(search, script)
        assert loss_of(search, script) == sum(loss_of(search, part) for part in parts)


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(2, 4), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_lemma_halves_refined_edges_bound_twice_the_loss_of_a_cluster(data, operations, k, random):
    """Chains ≥ refined edges ≥ twice the loss, for every cluster; for clusters of two, the maximum is attained."""
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 6)), operations)
    far, layers = search.text.model.width - 1, search.layers
    some = list(itertools.islice(scripts(search, k), 5000))
    for script in random.sample(some, min(len(some), 20)):
        for cluster in clusters_of(search, script):
            if len(cluster) == 1:
                continue
            rows, (kind, t, _) = edges_of(search, cluster), cluster[0]
            bound = 2 * int(layers.destroyed[kind, t, far]) + int(refined(search, rows).sum())
            chain = int(layers.destroyed[kind, t, far]) + int(
                layers.lone[rows[-1][3], cluster[-1][1], rows[-1][2], far]
            )
            for first, t, g, second, left, _ in rows:
                gone = layers.destroyed[second, t + (first != I) + g, g]
                chain += int(layers.lone[first, t, left, g]) + int(layers.shared[first, left, g]) + int(gone)
            assert 2 * loss_of(search, cluster) <= bound <= 2 * chain


@given(st.data(), st.sampled_from(OPERATION_SETS))
@settings(max_examples=40)
def test_lemma_pairs_the_edge_of_a_cluster_of_two_is_exact(data, operations):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 4)), operations)
    far, largest = model.width - 1, {}
    for script in scripts(search, 2):
        if len(clusters_of(search, script)) == 1:
            key = edges_of(search, script)[0]
            largest[key] = max(largest.get(key, -(10**9)), loss_of(search, script))
    if largest:
        for (kind, t, *_), value, loss in zip(largest, refined(search, list(largest)), largest.values(), strict=True):
            assert 2 * int(search.layers.destroyed[kind, t, far]) + value == 2 * loss


@given(st.data(), st.sampled_from(OPERATION_SETS))
@settings(max_examples=40)
def test_lemma_whole_clusters_are_scored_exactly(data, operations):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 3)), operations)
    largest = {}
    for script in scripts(search, 3):
        if len(clusters_of(search, script)) == 1:
            shape = tuple(number for move in script for number in move[:2])
            largest[shape] = max(largest.get(shape, -(10**9)), loss_of(search, script))
    destroyed = search.text.tables[2][search.other]
    for shape, loss in itertools.islice(largest.items(), 40):
        symbols = np.zeros(3, dtype=np.int32)
        parts = (search.ground, destroyed, np.array(shape, dtype=np.int32), 3)
        budget = np.array([10**9])
        assert exact_loss(*parts, loss, budget, symbols) == loss
        attained = [(*shape[2 * j : 2 * j + 2], int(symbols[j])) for j in range(3)]
        assert loss_of(search, attained) == loss
        assert exact_loss(*parts, loss + 1, budget, symbols) <= loss  # what is needed is not there


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 3))
@settings(max_examples=40)
def test_lemma_packing_single_edits_far_from_each_other(data, operations, k):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 5)), operations)
    far_ones = [
        loss_of(search, script)
        for e in range(1, k + 1)
        for script in scripts(search, e)
        if all(len(part) == 1 for part in clusters_of(search, script))
    ]
    best = max(far_ones, default=0)
    script = best_script(search.ground, search.single, NO_CLUSTERS, k, max(best, 1))
    assert (script is None) == (best < 1)
    if script is not None:
        assert loss_of(search, script) == best
    assert best_script(search.ground, search.single, NO_CLUSTERS, k, max(best, 0) + 1) is None


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(1, 6))
@settings(max_examples=60)
def test_layers_are_chains_in_both_directions(data, operations, k):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 12)), operations)
    layers, costs = search.layers, ChainCosts.of(search.text.batch, 0, window_ranges(model))
    assert costs.totals(search.other, k)[k] == layers.total(k) / 128
    assert layers.reach_backward(k)[2][k, 0] == layers.total(k)
    enter, _, _ = layers.reach_forward(k)
    rest, _, _ = layers.reach_backward(k)
    through = max((enter[e] + rest[k + 1 - e]).max() for e in range(1, k + 1))
    assert max(through, 0) == layers.total(k)


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(2, 3))
@settings(max_examples=40)
def test_lemma_survivors_no_script_that_reaches_the_margin_loses_an_edge(data, operations, k):
    model = data.draw(VOTE_MODELS)
    search = search_for(model, data.draw(texts_for(model, 4)), operations)
    some = [(loss_of(search, script), script) for script in itertools.islice(scripts(search, k), 3000)]
    if not some:
        return
    margin = max(max(some, key=lambda pair: pair[0])[0], 1)
    edges = Edges.surviving(search.layers, k, margin)
    assert (np.diff(edges.keys) > 0).all()
    listed = set(map(tuple, edges.columns.tolist()))
    for loss, script in some:
        if loss >= margin:
            for cluster in clusters_of(search, script):
                assert set(edges_of(search, cluster)) <= listed


@given(st.data(), st.sampled_from(OPERATION_SETS), st.booleans(), st.integers(1, 4))
@settings(max_examples=200)
def test_theorem_the_radius_is_that_of_enumeration(data, operations, restricted, k):
    """Texts shorter than a window, both ends, repeated symbols, every set of operations, few symbols, neighbours."""
    model = data.draw(VOTE_MODELS)
    symbols, neighbours = None, None
    if restricted:
        letters = model.alphabet.symbols
        symbols = data.draw(st.none() | st.text(st.sampled_from(letters), min_size=1, max_size=2))
        neighbours = data.draw(
            st.none() | st.fixed_dictionaries({c: st.text(st.sampled_from(letters)) for c in letters})
        )
    text = data.draw(texts_for(model, {1: 9, 2: 7, 3: 5, 4: 3}[k]))
    threat = Threat(operations, symbols, neighbours)
    allowed, ids = threat.allowed(model.alphabet), tuple(model.alphabet.encode(text).tolist())
    truth = radius_up_to(model, ids, k, ball(ids, k, allowed.insert, allowed.replace, delete_mask(allowed)))
    row = levcert.certify(model, [text], Refine(expansions=None), threat=threat, max_distance=k)[0]
    assert row.radius == truth
    if truth < k:
        assert (row.claim, row.upper) == ("exact", truth + 1)
    for expansions in (0, 1, 40, 1000):  # sound at every moment
        row = levcert.certify(model, [text], Refine(expansions=expansions), threat=threat, max_distance=k)[0]
        assert row.radius <= truth
        assert row.upper is None or row.upper > truth


def votes_for(grams, orders, alphabet, classes=2):
    """A model with votes for some n-grams only: {n-gram: votes}, in a table large enough that none share a row."""
    from tests.theory.radius_oracle import row

    votes = np.zeros((len(orders), 2**20, classes), dtype=np.int8)
    for gram, given_votes in grams.items():
        votes[orders.index(len(gram)), row(tuple(alphabet.encode(gram).tolist()), 20)] = given_votes
    return VoteModel(alphabet, votes, orders)


def test_a_cluster_of_three_that_pays_off_only_together():
    """Only bbb votes for y: two b next to each other do nothing, three take the label away."""
    model = votes_for({"a": [1, 0], "bbb": [0, 120]}, (1, 3), Alphabet("ab"))
    search = Refine(max_distance=5).search(Batch(model, ["a" * 9], Threat({"substitute"})), 0)
    row = search.run()
    assert (row.radius, row.upper) == (2, 3)
    assert "bbb" in row.counterexample
    inserted = levcert.certify(model, ["a" * 9], "refine", operations={"insert"})[0]
    assert (inserted.radius, inserted.upper) == (2, 3)


def test_deleting_and_inserting_is_no_substitution_where_that_is_not_allowed():
    """a → c is not allowed as a substitution; deleting a and inserting c on either side of it takes two edits."""
    model = votes_for({"aba": [60, 0], "cba": [0, 20]}, (3,), Alphabet("abc"))
    threat = Threat(neighbours={"a": "b", "b": "a"})
    row = levcert.certify(model, ["aba"], "refine", threat=Threat({"substitute"}, neighbours={"a": "b"}))[0]
    assert row.radius >= 0
    allowed = threat.allowed(model.alphabet)
    ids = tuple(model.alphabet.encode("aba").tolist())
    within = ball(ids, 3, allowed.insert, allowed.replace, delete_mask(allowed))
    assert levcert.certify(model, ["aba"], "refine", threat=threat, max_distance=3)[0].radius == radius_up_to(
        model, ids, 3, within
    )
    assert within[tuple(model.alphabet.encode("cba").tolist())] == 2


def test_several_insertions_around_a_deletion():
    model = votes_for({"a": [1, 0], "cdc": [0, 100]}, (1, 3), Alphabet("abcd"))
    threat = Threat({"insert", "delete"})
    row = levcert.certify(model, ["aaaa"], "refine", threat=threat, max_distance=4)[0]
    assert (row.radius, row.upper) == (2, 3)


@pytest.mark.parametrize("text", [b"ab", b"abba", b""])
def test_bytes(text):
    """All 256 symbols are in the model; the attacker brings in two."""
    rng = np.random.default_rng(5)
    votes = (rng.integers(-40, 41, (2, 2**12, 3)) * (rng.random((2, 2**12, 1)) < 0.5)).astype(np.int8)
    model = VoteModel(Alphabet.bytes(), votes, (2, 4))
    threat = Threat(symbols=b"a\xff")
    allowed, ids = threat.allowed(model.alphabet), tuple(model.alphabet.encode(text).tolist())
    truth = radius_up_to(model, ids, 2, ball(ids, 2, allowed.insert, allowed.replace, delete_mask(allowed)))
    assert levcert.certify(model, [text], "refine", threat=threat, max_distance=2)[0].radius == truth
    assert levcert.certify(model, [text], "refine", max_distance=2)[0].radius <= truth


def test_a_verdict_does_not_depend_on_the_batch():
    model = random_votes(3, symbols=4, orders=(2, 4), classes=3)
    texts = ["abcd", "", "aaaaaaaaaa", "dcbadcba"]
    together = levcert.certify(model, texts, "refine", max_distance=4)
    for text, row in zip(texts, together, strict=True):
        alone = levcert.certify(model, [text], "refine", max_distance=4)[0]
        assert (alone.radius, alone.upper, alone.counterexample) == (row.radius, row.upper, row.counterexample)


@given(st.data(), st.sampled_from(OPERATION_SETS), st.integers(0, 3))
@settings(max_examples=60)
def test_one_pass_settles_only_what_the_search_would_say(data, operations, k):
    model = data.draw(VOTE_MODELS)
    repeats = data.draw(st.integers(1, 20))  # long texts win by many edits
    text = data.draw(texts_for(model, 6)) * repeats
    batch = Batch(model, [text], Threat(operations))
    method = Refine(max_distance=k, expansions=100)
    assert method.verdicts(batch)[0].radius >= method.search(batch, 0).run().radius
    unlimited = Refine(max_distance=k, expansions=None)
    if len(text) <= 12:
        assert unlimited.verdicts(batch) == [unlimited.search(batch, 0).run()]


@given(st.data(), st.sampled_from(OPERATION_SETS))
@settings(max_examples=30)
def test_chains_in_blocks_are_chains(data, operations):
    model = data.draw(VOTE_MODELS)
    text = data.draw(st.text(st.sampled_from(model.alphabet.symbols), min_size=150, max_size=200))
    batch = Batch(model, [text], Threat(operations))
    others = [y for y in range(model.classes) if y != int(batch.best[0])]
    whole = ChainCosts.of(batch, 0, window_ranges(model)).all_totals(others, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit_chains, "_NUMBERS_AT_ONCE", 1)
        blocks = ChainCosts.of(batch, 0, window_ranges(model))
        assert len(list(blocks._blocks())) > 1
        assert (blocks.all_totals(others, 5) == whole).all()


def test_a_text_too_long_for_tables_is_left_to_chains(monkeypatch):
    model = random_votes(9, symbols=3, orders=(3,), largest=20)
    text = "abcacbbacbabcabcbabcab"
    batch = Batch(model, [text], Threat())
    by_chains = levcert.certify(model, [text], "chains")[0].radius
    for most in (0, 60_000):
        monkeypatch.setattr("levcert.certifiers.search.refine._MOST_BYTES", most)
        assert Refine().verdicts(batch)[0].radius >= by_chains


def test_random_models_texts_and_threats():
    assert check(seed=1, count=600)["with whole clusters"] > 0


@pytest.mark.long
def test_many_random_models_texts_and_threats():
    assert check(seed=2, count=20_000)["verdicts"] >= 20_000
