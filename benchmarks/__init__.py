"""Speeds, each as a ratio in one run; ``python -m benchmarks`` measures all of them.

measuring.py          a figure, a curve, and how time is taken
sizes.py              models and texts of AG-News' sizes, made up or embedded: no download
the_paper.py          plain torch, and the released code's method
training.py           a training step
convolution.py        prediction, certificates and attacks for the paper's network
votes.py              prediction and certificates for bounded votes
text.py               encoding, distances, start-up, compilation
__main__.py           the table, its JSON, and the comparison of two commits

Scenarios that need data, a server or minutes have scripts of their own: bench_exact.py, bench_web.py, bench_runs.py;
count_files_touched.py counts the files behind a command.
"""
