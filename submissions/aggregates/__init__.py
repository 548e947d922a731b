"""The one store of counted figures: per workload, exact after uploads, changes, and embargoes that end.

Triggers append each stored or changed submission to a queue. Whoever needs the figures of a workload takes its lock,
deletes its entries of the queue, adds the new rows to what is stored or, where one changed, counts all rows again, and
stores all kinds together in one transaction. The kinds are in the `aggregate.py` of the questions; `store.py`
stores, `count.py` counts, `read.py` reads, `check.py` compares with plain counts.
"""
