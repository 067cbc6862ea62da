"""Benchmarks of any size."""

from checkpoint_ld import Benchmark


def made(count: int) -> Benchmark:
    """Return a benchmark of so many questions, each with a template."""
    benchmark = Benchmark("Sums")
    benchmark.add_questions(
        {
            "question": f"What is {number} + 1?",
            "raw_answer": str(number + 1),
            "answer_template": "class Answer(BaseAnswer):\n"
            f'    total: int = VerifiedField(description="the sum", ground_truth={number + 1}, '
            "verify_with=NumericExact())\n",
        }
        for number in range(count)
    )
    return benchmark
