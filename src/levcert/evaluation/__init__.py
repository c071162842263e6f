"""One engine that measures a model on labelled texts; the command, the report and the benchmark are its faces."""
