import pytest

from pauseproof.readers.nccl_topology import read
from shared_cases import shared_case
from texts import refusal, source_of

GPU = '<pci busid="0000:{0}:00.0" class="0x030200">{1}</pci>'
NIC = '<pci busid="0000:{0}:00.0" class="0x020700">{1}</pci>'
NET = '<nic><net name="mlx5_{0}" dev="{0}" speed="400000" port="1" guid="0x{0}a1" gdr="1"/></nic>'


def system(*cpus: str) -> str:
    return (
        '<system version="1">\n' + "\n".join(f'<cpu numaid="{i}">{cpu}</cpu>' for i, cpu in enumerate(cpus)) + "\n</system>\n"
    )


def switch(*inside: str) -> str:
    return '<pci busid="ffff:ff:01.0" class="0x060400">\n' + "\n".join(inside) + "</pci>"


def gpu_nics(text: str) -> tuple[tuple[int, ...], ...]:
    return read(source_of(text)).gpu_nics


def gpu(dev: int) -> str:
    return GPU.format(f"1{dev}", f'<gpu dev="{dev}" sm="90" rank="{dev}" gdr="1"/>')


def net(dev: int) -> str:
    return NIC.format(f"2{dev}", NET.format(dev))


def test_a_dump() -> None:
    found = read(source_of(system(switch(gpu(0), net(0)), switch(gpu(1), net(1)))))
    assert [(nic.name, nic.dev, nic.port, nic.guid, nic.speed) for nic in found.nics] == [
        ("mlx5_0", 0, 1, 0x0A1, 400.0),
        ("mlx5_1", 1, 1, 0x1A1, 400.0),
    ]
    assert [gpu.dev for gpu in found.gpus] == [0, 1] and found.gpu_nics == ((0,), (1,))


def test_nearest_means_the_same_switch_then_several_then_the_cpu() -> None:
    assert gpu_nics(system(switch(switch(gpu(0)), switch(net(1))) + net(0))) == ((1,),)  # several switches before the CPU
    assert gpu_nics(system(gpu(0) + switch(net(0)), net(1))) == ((0,),)  # the own CPU before another
    assert gpu_nics(system(switch(gpu(0), net(3)), switch(net(0)))) == ((1,),)  # places, in the order of numbers


def test_equally_near_nics_are_dealt_out_as_nccl_does() -> None:
    """Two GPUs and four NICs at one CPU: GPU 1 begins at the mirrored place 2; each takes two."""
    assert gpu_nics(system(gpu(0) + gpu(1) + "".join(map(net, range(4))))) == ((0, 1), (2, 3))
    assert gpu_nics(system("".join(map(gpu, range(4))) + net(0) + net(1))) == ((0,), (1,), (0,), (1,))
    assert gpu_nics(system("".join(map(gpu, range(3))) + "".join(map(net, range(3))))) == ((0,), (1,), (2,))


def test_files_of_clouds_end_at_the_device() -> None:
    found = read(source_of(system(switch(GPU.format(1, ""), GPU.format(2, ""), NIC.format(3, "")))))
    assert [gpu.dev for gpu in found.gpus] == [0, 1] and found.gpu_nics == ((0,), (0,))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aws-p4d-24xl-topo.xml", ((0,), (0,), (1,), (1,), (2,), (2,), (3,), (3,))),
        ("azure-ndv5-topo.xml", tuple((i,) for i in range(8))),
    ],
)
def test_real_files(name: str, expected: tuple[tuple[int, ...], ...]) -> None:
    text = shared_case(f"nccl/{name}").read_bytes()
    assert read(source_of(text)).gpu_nics == expected


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("<graphs/>", ["1: begins with <graphs>; expected <system>, an NCCL topology"]),
        (
            "<system/>",
            [
                "1: no GPU in it; expected a <pci> of class 0x03.. or more",
                "1: no NIC in it; expected a <pci> of class 0x02.. or more",
            ],
        ),
        (system(gpu(0) + gpu(0) + net(0)), ["2: a second GPU with dev 0, first in line 2"]),
        (system(gpu(0) + net(0) + "<pci busid='x'/>"), ["2: a <pci> without class or busid; expected both"]),
        (system(gpu(0).replace('dev="0"', 'dev="x"') + net(0)), ["2: dev of <gpu> is 'x'; expected a number"]),
        (system(gpu(0) + net(0).replace("400000", "fast")), ["2: speed of <net> is 'fast'; expected a number"]),
        (system(gpu(0) + net(0)).replace('dev="0" speed', "speed"), ["2: dev of <net> is ''; expected a number"]),
    ],
)
def test_refusals(text: str, problems: list[str]) -> None:
    assert refusal(read, text) == problems


def test_a_file_that_is_cut_off_is_refused() -> None:
    text = system(switch(gpu(0), net(0)))
    for length in range(0, len(text) - 2, 7):
        assert refusal(read, text[:length])


def test_entities_are_refused() -> None:
    assert "declares a document type" in refusal(read, "<!DOCTYPE a [<!ENTITY b 'c'>]>\n<system/>")[0]


def test_a_node_of_thousands_of_devices_is_none() -> None:
    many = "".join(f'<pci busid="{i}" class="0x030200"/>' for i in range(3000)) + NIC.format(20, "")
    assert refusal(read, system(many)) == ["1: 3000 GPUs in one node; expected at most 64"]
