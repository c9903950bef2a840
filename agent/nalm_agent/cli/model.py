# SPDX-License-Identifier: Apache-2.0
"""`nalm model`: what an NF will do with more lcores, more load, other hardware."""

from __future__ import annotations

from typing import Annotated

import typer

from nalm_agent.shell import options
from nalm_agent.shell.commands import CommandGroup
from nalm_agent.shell.examples import examples

model = typer.Typer(
    cls=CommandGroup,
    help="Predict what an NF does with more lcores, more load or other hardware (docs/models.md).",
    no_args_is_help=True,
    rich_markup_mode=None,
)

RunArgument = Annotated[
    str | None, typer.Argument(metavar="RUN", help="A run report that `nalm check --json` wrote.")
]
FrequencyOption = Annotated[
    str | None, typer.Option(metavar="HZ", help="Cycles per second of an lcore, such as 2.3G.")
]
FrameOption = Annotated[float, typer.Option(help="Bytes of a frame.")]


def add_to(app: typer.Typer) -> None:
    """Adds the commands to `nalm`."""
    app.add_typer(model, name="model")


@model.command(
    epilog=examples(
        "nalm model speedup --rates 1=2.1M,2=3.7M,4=5.9M,8=7.9M --at 16",
        "nalm model speedup one.json two.json four.json eight.json --f-s 0.067",
    )
)
def speedup(
    reports: Annotated[
        list[str] | None,
        typer.Argument(metavar="REPORT", help="Reports of `nalm rate --mode mrr --json`, by lcores."),
    ] = None,
    *,
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Measured rates, LCORES=RATE,...; a count given repeatedly has several launches.",
        ),
    ] = None,
    f_s: Annotated[
        float | None,
        typer.Option(
            "--f-s", help="CPP of the parallel NF on one lcore over CPP of run to completion, less 1."
        ),
    ] = None,
    reference: Annotated[
        int | None, typer.Option(help="Lcores whose speedup is 1. Default: the fewest measured.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="LIST", help="Lcores to predict for, such as 16,32.")
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Fit the speedup with lcores: its curve, ceiling and peak, and a cap by another bound."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.scaling import answer_speedup

    with refusing("speedup"):
        show(answer_speedup(reports or [], rates, f_s, reference, at), json_file)


@model.command(
    epilog=examples(
        "nalm model roles --dispatch 100 --workers 300 --databases 50 --lcores 16 --frequency 2G",
        "nalm model roles pipeline.json --lcores 8 --measured 9.1M",
    )
)
def roles(
    run: RunArgument = None,
    *,
    lcores: Annotated[int, typer.Option(help="Lcores to share out.")],
    dispatch: Annotated[float | None, typer.Option(help="Cycles per packet of rx, dispatch and tx.")] = None,
    workers: Annotated[float | None, typer.Option(help="Cycles per packet of the chain's stages.")] = None,
    databases: Annotated[
        float | None, typer.Option(help="Cycles per packet of access between threads.")
    ] = None,
    frequency: FrequencyOption = None,
    measured: Annotated[
        str | None, typer.Option(metavar="LIST", help="Rate that was measured with this split, to compare.")
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Share lcores between dispatch, workers and databases."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.scaling import answer_roles

    with refusing("roles"):
        cycles = (dispatch, workers, databases)
        show(answer_roles(run, cycles, lcores, frequency, measured), json_file)


@model.command(
    epilog=examples(
        "nalm model queue --line 5G,7G,7.75G --base-ns 900 --packet-ns 81",
        "nalm model queue batches.json --pps 9M --arrivals nbinom:2 --loss 1e-5",
    )
)
def queue(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help='Report of `nalm rate --json`, or JSON {"tsc_hz": N, "batches": {"SIZE": [count, cycles]}}.',
        ),
    ] = None,
    *,
    line: Annotated[
        str | None, typer.Option(metavar="RATE", help="Loads in bit/s on the line, such as 5G,7.75G.")
    ] = None,
    pps: Annotated[
        str | None, typer.Option(metavar="RATE", help="Loads in packets/s, such as 5M,8M.")
    ] = None,
    frame: FrameOption = 64,
    packets: Annotated[int, typer.Option("--queue", help="Packets that the queue holds.")] = 4096,
    batch: Annotated[int, typer.Option(help="Largest batch.")] = 256,
    arrivals: Annotated[
        str,
        typer.Option(metavar="PROCESS", help="Gaps between packets: poisson, geometric, cbr or nbinom:CV."),
    ] = "poisson",
    base_ns: Annotated[float | None, typer.Option(help="Time of an empty poll, without a file.")] = None,
    packet_ns: Annotated[
        float | None, typer.Option(help="Time that each packet adds to a batch, without a file.")
    ] = None,
    loss: Annotated[
        float | None, typer.Option(help="Predict for the fewest lcores that lose at most this share.")
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Predict batch sizes, loss and delay under a load, from the times of batches."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.load import Load, answer_queue

    with refusing("queue"):
        answer = answer_queue(
            file,
            Load(line, frame, pps, arrivals),
            packets=packets,
            batch=batch,
            base_ns=base_ns,
            packet_ns=packet_ns,
            loss=loss,
        )
        show(answer, json_file)


@model.command(
    epilog=examples(
        "nalm model budget --line 40G --lcores 4 --frequency 2G --cpp 250",
        "nalm model budget run.json --pps 20M --lcores 8",
    )
)
def budget(
    run: RunArgument = None,
    *,
    line: Annotated[
        str | None, typer.Option(metavar="RATE", help="Rate of the line in bit/s, such as 40G.")
    ] = None,
    pps: Annotated[
        str | None, typer.Option(metavar="RATE", help="Packets/s in place of a line, such as 20M.")
    ] = None,
    frame: FrameOption = 64,
    lcores: Annotated[int | None, typer.Option(help="Lcores that share the line.")] = None,
    frequency: FrequencyOption = None,
    cpp: Annotated[float | None, typer.Option(help="Cycles per packet of one lcore.")] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Show the cycles that a line leaves for a frame, and the share of it that lcores carry."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.hardware import answer_budget

    with refusing("budget"):
        answer = answer_budget(
            run, line=line, pps=pps, frame=frame, lcores=lcores, frequency=frequency, cpp=cpp
        )
        show(answer, json_file)


@model.command(
    epilog=examples(
        "nalm model capacity run.json",
        "nalm model capacity --chip npu --demand pbb",
        "nalm model capacity run.json --supply cores=9.2G,cache=580M,memory=57M --load 3M",
    )
)
def capacity(
    run: RunArgument = None,
    *,
    chip: Annotated[
        str | None,
        typer.Option(
            help="npu, cpu (the paper's), host (this one, as `nalm doctor` measured it), or a TOML file with "
            "[supply] and watts. Default: the run's host."
        ),
    ] = None,
    supply: Annotated[
        str | None, typer.Option(help="What the chip has per second, RESOURCE=NUMBER,....")
    ] = None,
    demand: Annotated[
        str | None, typer.Option(help="What a packet needs: pbb, or RESOURCE=NUMBER,.... Default: the run's.")
    ] = None,
    frame: FrameOption = 64,
    load: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="A load in packets/s whose share of each resource to show."),
    ] = None,
    lcores: Annotated[
        int | None, typer.Option(help="Lcores of a measured host. Default: the run's, or 1.")
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Bound the rate by each resource of a chip, and name the one that binds."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.hardware import answer_capacity

    with refusing("capacity"):
        answer = answer_capacity(
            run, chip=chip, supply=supply, demand=demand, frame=frame, load=load, lcores=lcores
        )
        show(answer, json_file)


@model.command(
    epilog=examples(
        "nalm model cost --design one=900,800,900,800 --design many=400,350,9000,8900",
        "nalm model cost --break-even 900,180,258",
    )
)
def cost(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help='JSON {"designs": {"NAME": [r1, r, d1, d]}}.')
    ] = None,
    *,
    design: Annotated[
        list[str] | None,
        typer.Option(help="NAME=R1,R,D1,D: cycles and delays of the first and of later packets; repeatable."),
    ] = None,
    packets: Annotated[int, typer.Option(help="Packets of a flow.")] = 10,
    weight: Annotated[str, typer.Option(help="Weights of compute against delay.")] = "0,0.25,0.5,0.75,1",
    break_even: Annotated[
        str | None,
        typer.Option(help="FIRST,LATER,WITHOUT: the flow length from which a flow cache pays, instead."),
    ] = None,
    json_file: options.JsonOption = None,
) -> None:
    """Weigh compute against delay of several designs, and show where their order changes."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.hardware import answer_break_even, answer_cost

    with refusing("cost"):
        if break_even is not None:
            show(answer_break_even(break_even), json_file)
        else:
            show(answer_cost(design or [], file, packets, weight), json_file)


@model.command(
    epilog=examples("nalm model lines --cache 48K --packets 512", "nalm model lines run.json --metadata 16")
)
def lines(
    run: RunArgument = None,
    *,
    cache: Annotated[
        str | None, typer.Option(metavar="BYTES", help="Size of the L1d, such as 48K. Default: the run's.")
    ] = None,
    packets: Annotated[int, typer.Option(help="Packets in flight.")] = 512,
    metadata: Annotated[str, typer.Option(help="Bytes of metadata per packet.")] = "0,2,4,8,16,32,64",
    json_file: options.JsonOption = None,
) -> None:
    """Show which packet metadata fits into the first-level data cache."""
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.hardware import answer_lines

    with refusing("lines"):
        show(answer_lines(run, cache, packets, metadata), json_file)
