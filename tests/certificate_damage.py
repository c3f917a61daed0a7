"""Certificates changed in every field: some stay true, most do not; the reference decides which."""

import copy
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

Data = Any
Place = tuple[Any, Any]  # a container and a key or index of it
WORDS = ["", "*", "s*", "hosts", "hosts+switches", "committed", "reselecting", "no such thing", "0", "1"]
ODD: list[Data] = [None, True, False, 0, 1, -1, 1.0, 10**30, 0.5, "", "0", [], {}, [[]], [None], {"": None}, float("nan")]


def places(data: Data) -> Iterator[Place]:
    """Every place of a tree of plain data."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield data, key
        if isinstance(value, dict | list):
            yield from places(value)


def even_place(data: Data, random: Random) -> Place:
    """A place: first a field of the whole, then one below it, so that ranks by the hundred do not hide the rest."""
    key = random.choice(list(data))
    below = list(places(data[key])) if isinstance(data[key], dict | list) else []
    return random.choice(below) if below and random.random() < 0.8 else (data, key)


def leave_out(data: Data, random: Random) -> None:
    holder, key = even_place(data, random)
    del holder[key]


def say_something_odd(data: Data, random: Random) -> None:
    holder, key = even_place(data, random)
    holder[key] = copy.deepcopy(random.choice(ODD))


def say_what_stands_elsewhere(data: Data, random: Random) -> None:
    (holder, key), (other, from_key) = even_place(data, random), even_place(data, random)
    holder[key] = copy.deepcopy(other[from_key])


def change_type(data: Data, random: Random) -> None:
    holder, key = even_place(data, random)
    value = holder[key]
    made: list[Data] = [[value], {"a": value}, str(value)]
    if type(value) is int:
        made = [float(value), value == 1, str(value)]
    holder[key] = random.choice(made)


def count_differently(data: Data, random: Random) -> None:
    numbers = [(holder, key) for holder, key in places(data) if type(holder[key]) is int]
    holder, key = random.choice(numbers)
    holder[key] += random.choice((-2, -1, 1, 2))


def word_differently(data: Data, random: Random) -> None:
    words = [(holder, key) for holder, key in places(data) if isinstance(holder[key], str)]
    holder, key = random.choice(words)
    holder[key] = random.choice((random.choice(WORDS), holder[key] + " ", holder[key][:-1]))


def add(data: Data, random: Random) -> None:
    holders = [data, *(h[k] for h, k in places(data) if isinstance(h[k], dict | list))]
    holder = random.choice(holders)
    if isinstance(holder, dict):
        holder["extra"] = copy.deepcopy(random.choice(ODD))
    else:
        more = holder or WORDS
        holder.insert(random.randrange(len(holder) + 1), copy.deepcopy(random.choice(more)))


def order_differently(data: Data, random: Random) -> None:
    lists = [h[k] for h, k in places(data) if isinstance(h[k], list) and len(h[k]) > 1]
    if lists:
        random.shuffle(random.choice(lists))


def ask_differently(data: Data, random: Random) -> None:
    key = random.choice(list(data["question"]))
    some: Sequence[Data] = [None, 0, 1, 2, *WORDS]
    if isinstance(data["question"][key], list):
        some = [["*"], ["s*", "h*"], ["no such thing"], ["*1"], []]
    data["question"][key] = copy.deepcopy(random.choice(some))


def permute_ranks(data: Data, random: Random) -> None:
    a, b = random.choice(list(data["ranks"])), random.choice(list(data["ranks"]))
    data["ranks"][a], data["ranks"][b] = data["ranks"][b], data["ranks"][a]


def shuffle_ranks(data: Data, random: Random) -> None:
    values = list(data["ranks"].values())
    random.shuffle(values)
    data["ranks"] = dict(zip(data["ranks"], values, strict=True))


def stretch_ranks(data: Data, random: Random) -> None:
    """Still true, by any factor that is not negative or zero."""
    factor, more = random.choice((3, 10**20, 1, -1, 0)), random.choice((0, -(10**6), 7))
    data["ranks"] = {name: factor * rank + more for name, rank in data["ranks"].items()}


def move_a_rank(data: Data, random: Random) -> None:
    name = random.choice(list(data["ranks"]))
    data["ranks"][name] += random.choice((-100, -1, 1, 1, 2, 100))


def rank_by_another_type(data: Data, random: Random) -> None:
    name = random.choice([name for name, rank in data["ranks"].items() if rank == 1] or list(data["ranks"]))
    data["ranks"][name] = random.choice((True, float(data["ranks"][name]), str(data["ranks"][name])))


def forget_a_rank(data: Data, random: Random) -> None:
    del data["ranks"][random.choice(list(data["ranks"]))]


def rank_something_else(data: Data, random: Random) -> None:
    end, _, lane = random.choice(list(data["ranks"])).rpartition("/")
    device, _, port = end.rpartition("/")
    name = random.choice((f"{end}/{lane}9", f"{end}/1", f"{device}/{random.randint(0, 9)}/{lane}", f"no{end}/0", port))
    data["ranks"][name] = random.randint(0, 9)


def entries(data: Data) -> list[Data]:
    return [entry for witness in data["witnesses"] for entry in witness]


def swap_packets(data: Data, random: Random) -> None:
    a, b = random.choice(entries(data)), random.choice(entries(data))
    key = random.choice(("packet", "waits_for", "buffer", "source", "destination", "member", "label"))
    a, b = (a, b) if key in a else (a["packet"], b["packet"])
    a[key], b[key] = b[key], a[key]


def join_witnesses(data: Data, random: Random) -> None:
    """Still true."""
    data["witnesses"] = [entries(data)]


def forget_a_witness(data: Data, random: Random) -> None:
    del data["witnesses"][random.randrange(len(data["witnesses"]))]


def forget_an_entry(data: Data, random: Random) -> None:
    witness = random.choice(data["witnesses"])
    del witness[random.randrange(len(witness))]


def wait_for_more(data: Data, random: Random) -> None:
    a, b = random.choice(entries(data)), random.choice(entries(data))
    a["waits_for"] = random.choice(([*a["waits_for"], b["buffer"]], [b["buffer"]], [*a["waits_for"]] * 2))


def send_from_elsewhere(data: Data, random: Random) -> None:
    """Another source, destination or member of those named: now and then it passes the same way."""
    packet = random.choice(entries(data))["packet"]
    key = random.choice(("source", "destination", "member"))
    packet[key] = random.choice([entry["packet"][key] for entry in entries(data)])


def send_to_itself(data: Data, random: Random) -> None:
    packet = random.choice(entries(data))["packet"]
    packet["source"], packet["member"] = random.choice((packet["source"], packet["member"])), packet["source"]


def name_a_member(data: Data, random: Random) -> None:
    packets = [entry["packet"] for entry in entries(data)]
    random.choice(packets)["member"] = random.choice([*(packet["source"] for packet in packets), "nobody", ""])


ANYWHERE: list[Callable[[Data, Random], None]] = [
    leave_out,
    say_something_odd,
    say_what_stands_elsewhere,
    change_type,
    count_differently,
    word_differently,
    add,
    order_differently,
    ask_differently,
]
RANKS = [
    permute_ranks,
    shuffle_ranks,
    stretch_ranks,
    move_a_rank,
    move_a_rank,
    rank_by_another_type,
    forget_a_rank,
    rank_something_else,
]
WITNESSES = [
    swap_packets,
    swap_packets,
    join_witnesses,
    forget_a_witness,
    forget_an_entry,
    wait_for_more,
    send_to_itself,
    name_a_member,
    send_from_elsewhere,
    send_from_elsewhere,
]


def changed(certificate: Data, random: Random) -> tuple[str, Data]:
    """One change, sometimes two; its name, and the certificate after it."""
    data, names = copy.deepcopy(certificate), list[str]()
    for _ in range(random.choice((1, 1, 1, 2))):
        own = [(RANKS, "ranks"), (WITNESSES, "witnesses")]
        fitting = [*ANYWHERE, *(f for changes, key in own if certificate.get(key) and names == [] for f in changes)]
        change = random.choice(fitting)
        try:
            change(data, random)
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change left nothing to change so
        names.append(change.__name__)
    return "+".join(names), data
