"""Count the programs whose gradient each optional pass changes, and time their gradients without it.

    python benchmarks/passes.py [--text] [--only residuals] [--kinds kernels] [--repeats 20] [--budget 0.4] [--write]

`--text` counts alone, `--write` puts the table into `docs/passes.md`, which says what its columns are. Benchmarks and
kernels are timed, not tests, whose arguments are tiny. Quote ratios of one run only.
"""

import argparse
import json
import math
import platform
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pullback as pb
from harness.passes import AGAIN, ALL, passes_of_all, times_without
from harness.programs import KINDS, ROOT, Program
from harness.report import as_markdown, as_text, geometric_mean, number, seconds

PAGE = ROOT / "docs" / "passes.md"
TIMED = ("benchmarks", "kernels")
BESIDE_TESTS = ("examples", *TIMED)
BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"

WRITTEN_FOR = {
    "accumulator_coalescing": ("time_steps",),
    "copy_elision": ("time_steps",),
    "complete_unrolling": ("unrolled_loops",),
    "scalar_replacement_of_aggregates": ("elements_as_numbers", "small_arrays"),
    "speculation": ("speculative_loads",),
    "store_sinking": ("stores_of_both_sides",),
    "column_layout": ("few_columns",),
    "deinterleaving": ("elements_in_steps",),
    "loop_fusion": ("row_nests",),
    "array_contraction": ("row_nests",),
    "list_preallocation": ("preallocated_lists",),
    "rank_k_updates": ("rank_k_updates",),
    "rolled_reads": ("rolled_reads", "rolled_arrays"),
    "equal_arrays": ("rolled_reads",),
    "outer_vectorisation": ("outer_vectorisation", "independent_chains"),
    "dead_stores": ("arrays",),
    "induction_variables": ("counters",),
    "slice_induction": ("cut_arrays",),
    "invariant_nests": ("invariant_nests",),
    "block_coalescing": ("cut_arrays", "kept_rows"),
    "strip_mining": ("strips_of_iterations",),
    "zero_initialisation": ("zero_initialisation",),
    "scatter_to_gather": ("arrays",),
    "code_sinking": ("sunk_code",),
    "shared_quotients": ("quotients",),
    "branching_rules": ("powers",),
    "preaccumulation": ("log_sums",),
    "unroll_and_jam": ("short_loops",),
    "allocation_hoisting": ("products_in_loops", "cleared_buffers"),
    "stack_allocation": ("local_arrays",),
    "lowering": ("arrays",),
    "one_sweep": ("onesweep",),
    "loop_reversal": ("arrays",),
    "strip_distribution": ("indirect_loops", "rows_in_strips", "computed_indices"),
    "loop_load_elimination": ("recurrences",),
    "height_reduction": ("adjoint_recurrences",),
    "loop_skewing": ("tables",),
    "recurrence_distribution": ("recurrence_parts",),
    "argument_search": ("argument_selection",),
    "argument_selection": ("argument_selection",),
    "array_privatisation": ("preallocated_arrays",),
    "scalar_replacement": ("loops",),
    "residuals": ("final_elements",),
    "save_on_kill": ("restored_arrays",),
    "tall_products": ("tall_products",),
    "if_conversion": ("converted_branches",),
    "load_scheduling": ("branching_stencils",),
    "loop_peeling": ("peeled_loops",),
}
"""The modules of `tests/programs` that were written for a pass."""

Changes = dict[str, list[Program]]
"""pass → the programs whose gradient is another one without it"""
Times = dict[str, dict[str, float]]
"""program → pass → seconds of a gradient without it; also ALL and AGAIN"""


def main() -> None:
    options = parse_arguments()
    counted, changes = count(options.kinds, options.only)
    times = {} if options.text else measure(changes, options)
    rows = table(changes, times)
    notes = remarks(counted, times)
    print("\n".join([as_text(rows), "", *notes]))
    if options.verbose:
        print("\n".join(["", *listing(changes, times)]))
    if options.write:
        write_page(f"{as_markdown(rows)}\n\n{' '.join(notes)}\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    names = sorted(pb.OPTIMISATIONS)
    add("--text", action="store_true", help="count alone: nothing is compiled")
    add("--only", nargs="+", choices=names, default=names, metavar="NAME", help="these passes (all)")
    add("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=f"of {', '.join(KINDS)} (all)")
    add("--repeats", type=int, default=20, help="how often each gradient has its turn (%(default)s)")
    add("--budget", type=float, default=0.4, help="seconds for each gradient (%(default)s)")
    add("--verbose", action="store_true", help="name the programs that each pass changes")
    add(
        "--json",
        type=Path,
        metavar="FILE",
        help="keep the times there after each program; those there are not taken again",
    )
    add("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    if options.write and (options.text or options.only != names or options.kinds != list(KINDS)):
        parser.error("--write needs the counts and times of all passes and programs")
    return options


def count(kinds: list[str], passes: list[str]) -> tuple[list[Program], Changes]:
    """The programs that have a gradient, and what each pass changes of them."""
    counted, changes = [], {name: [] for name in passes}
    for program, changing in passes_of_all(kinds, set(passes)):
        counted.append(program)
        for name in changing:
            changes[name].append(program)
    return counted, changes


def measure(changes: Changes, options: argparse.Namespace) -> Times:
    """The times of the benchmarks and kernels that passes change, each in a process of its own."""
    kept: Times = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    times: Times = {}
    for program in dict.fromkeys(p for changed in changes.values() for p in changed if p.kind in TIMED):
        passes = {name for name, changed in changes.items() if program in changed}
        if not passes <= kept.get(program.id, {}).keys():
            kept[program.id] = times_without(program, passes, options.repeats, options.budget)
            print(progress(program.id, kept[program.id]), file=sys.stderr, flush=True)
        times[program.id] = {
            name: seconds for name, seconds in kept[program.id].items() if name in {*passes, ALL, AGAIN}
        }
        if options.json:
            options.json.write_text(json.dumps(kept, indent=1) + "\n")
    return times


def ratios(times: Times, name: str) -> dict[str, float]:
    """For each program that a pass changes, its time without the pass as a multiple of that with it."""
    return {program: row[name] / math.sqrt(row[ALL] * row[AGAIN]) for program, row in times.items() if name in row}


def table(changes: Changes, times: Times) -> list[list[str]]:
    """Cells, with the headings first and a line for each pass."""
    rows = [
        ["pass", "its tests", "other tests", *BESIDE_TESTS, *(["time without it", "most", "least"] if times else [])]
    ]
    for name, changed in sorted(changes.items()):
        own = sum(is_written_for(name, program) for program in changed)
        kinds = Counter(program.kind for program in changed)
        counts = [own, kinds["tests"] - own, *(kinds[kind] for kind in BESIDE_TESTS)]
        rows.append([name, *map(str, counts), *(effect(ratios(times, name)) if times else [])])
    return rows


def is_written_for(name: str, program: Program) -> bool:
    return program.kind == "tests" and program.id.partition(".")[0] in WRITTEN_FOR.get(name, ())


def effect(found: dict[str, float]) -> list[str]:
    """The geometric mean of the ratios of some programs, and the programs with the largest and the smallest."""
    if not found:
        return ["", "", ""]
    ends = (max(found, key=found.__getitem__), min(found, key=found.__getitem__))
    return [number(geometric_mean(found.values())), *(f"{number(found[end])} {end}" for end in ends)]


def remarks(counted: list[Program], times: Times) -> list[str]:
    """What was counted, and what the times are worth."""
    kinds = Counter(program.kind for program in counted)
    lines = [f"Counted: {', '.join(f'{kinds[kind]} {kind}' for kind in kinds)}."]
    if times:
        again = [row[AGAIN] / row[ALL] for row in times.values()]
        ends = " to ".join(number(end) for end in (min(again), max(again)))
        lines.append(f"Timed on one thread of {processor()}; the same text compiled again takes {ends} of its time.")
    return lines


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    described = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.*)$", described.read_text(), re.MULTILINE) if described.exists() else None
    return named[1] if named else platform.processor() or platform.machine()


def listing(changes: Changes, times: Times) -> Iterator[str]:
    """For each pass the programs that it changes, with the ratios of their times."""
    for name, changed in sorted(changes.items()):
        measured = ratios(times, name)
        yield f"{name}: {len(changed)}"
        for program in changed:
            ratio = f" {number(measured[program.id])}" if program.id in measured else ""
            yield f"  {program.kind} {program.id}{ratio}"


def progress(program: str, row: dict[str, float]) -> str:
    passes = (f"{name} {number(row[name] / row[ALL])}" for name in row if name != ALL)
    return f"{program}, {seconds(row[ALL])}, as a multiple of that: {', '.join(passes)}"


def write_page(content: str) -> None:
    """Put the content between the two marks of the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{content}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
