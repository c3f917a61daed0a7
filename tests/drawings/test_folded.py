from pauseproof.drawings import folded
from pauseproof.drawings.folded import fold, folded_dot
from sample_fabrics import cabled, clos, ring


def test_a_clos_folds_to_a_node_a_tier() -> None:
    one = fold(clos(8, 4, hosts=3))
    assert (one.tier, one.size, one.host_cables) == ([1, 2], [8, 4], [24, 0])
    assert one.cables.tolist() == [[0, 32], [32, 0]]


def test_a_leaf_with_fewer_hosts_stands_apart() -> None:
    fabric = cabled(
        ["a", "b", "s", "h1", "h2", "h3"], 3, [(0, 1, 2, 1), (1, 1, 2, 2), (0, 2, 3, 1), (0, 3, 4, 1), (1, 2, 5, 1)]
    )
    one = fold(fabric)
    assert sorted(zip(one.tier, one.size, one.host_cables, strict=True)) == [(1, 1, 1), (1, 1, 2), (2, 1, 0)]


def test_too_many_classes_fold_by_tier(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(folded, "MOST_NODES", 1)
    assert fold(clos(8, 4)).size == [8, 4]


def test_words_of_the_folded_clos() -> None:
    source = folded_dot(clos(8, 4, hosts=3)).source
    for words in ('"sample: 12 switches, 24 hosts', '"8 switches"', '"4 switches"', '"24 hosts"', '"  32 cables  "'):
        assert words in source


def test_cables_within_a_class_are_counted_once() -> None:
    assert '"  5 cables  "' in folded_dot(ring(5)).source


def test_a_switch_alone_keeps_its_name() -> None:
    assert 'label="spine1"' in folded_dot(clos(4, 1)).source
