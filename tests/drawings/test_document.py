from pauseproof.drawings.document import document, rank


def test_a_document_is_one_digraph_with_its_statements() -> None:
    source = document('the "title"', "dot", ["n0", "n0 -> n1"])
    assert source.startswith("digraph pauseproof {\n") and source.endswith("  n0;\n  n0 -> n1;\n}\n")
    assert 'label="the \\"title\\"\\n "' in source


def test_ranks_have_names_and_an_order() -> None:
    statements = list(rank({"a": 2, "b": 0, "c": 2, "d": 1}))
    assert [s for s in statements if "->" in s] == ["tier1 -> tier0 [style=invis]", "tier2 -> tier1 [style=invis]"]
    assert "{ rank=same; tier2; a; c; }" in statements
    assert [s.split('"')[1] for s in statements if "label" in s] == ["hosts", "tier 0", "tier 1"]
