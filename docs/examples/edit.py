"""Edit a benchmark: `python edit.py metals.jsonld edited.jsonld`."""

import sys

import checkpoint_ld

source, target = sys.argv[1:]
benchmark = checkpoint_ld.load(source)
first = benchmark.get_question_ids()[0]
benchmark.update_question_metadata(first, raw_answer="Mercury (Hg)")
added = benchmark.add_question("Which metal conducts heat best?", "Silver", keywords=["physics"])
benchmark.copy_template(first, added)
benchmark.save(target)
sys.stdout.write(f"{len(benchmark)} questions, {benchmark.get_progress():.0f} % finished\n")
