"""Reads a page of metrics with the parser of Prometheus' client library, and prints each sample: name{labels}, a tab, value.

metrics.py text|openmetrics FILE
"""
import sys

if sys.argv[1] == "text":
    from prometheus_client.parser import text_string_to_metric_families
else:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

with open(sys.argv[2], encoding="utf-8") as page:
    for family in text_string_to_metric_families(page.read()):
        if family.name.startswith("fanfold_") and not family.documentation:
            sys.exit(family.name + " has no help text")
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            print(f"{sample.name}{{{labels}}}\t{sample.value}")
