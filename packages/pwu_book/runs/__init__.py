"""The benchmarks, one module for each step of the work.

`tasks` says what is asked, `models` and `datasets` with what; `grid` fits every cell and keeps its predictions,
`score` turns them into metrics, PWUs and utilities, `align` into agreement, `read` into sentences. `run` is the command
``python -m pwu_book.runs binary --jobs 2``, which does all of it and goes on where it stopped.
"""
