"""Other words for words of the trade, by which a question is asked that shares few words with its answer."""

from __future__ import annotations

from collections.abc import Mapping

_PAIRS = """
add include, address contact, allow permit, always invariably, approval consent, asking consulting, audit
inspection, avoid prevent, backup snapshot, batch group, because since, before ahead, billing invoicing, branch
line, branches lines, broken faulty, broker relay, budget allowance, bug defect, build compile, builder generator,
cache buffer, calculator computation, calendar schedule, call invoke, change modification, changed modified, changes
modifications, check verification, checks verifications, choose pick, code source, command instruction, commands
instructions, comment remark, commit checkin, commits checkins, config settings, connection link, contract
agreement, copy duplicate, count tally, coupon voucher, crash fail, crashes fails, create make, customer client,
date day, debug diagnostic, default standard, delete remove, dependencies requirements, dependency requirement,
deploy release, directory folder, docs documentation, document describe, drop discard, empty blank, encoding
charset, engine machinery, error failure, errors failures, example sample, export download, fail break, failed
broke, fails breaks, fast quick, feature capability, file document, files documents, fix repair, fixed repaired,
flag switch, folder directory, format layout, function method, functions methods, gateway bridge, generate produce,
generated produced, handler receiver, header heading, hide conceal, hook trigger, hub centre, image picture, import
load, importer loader, index catalogue, input entry, install setup, invoice bill, issue ticket, issuer minter, job
task, kept stored, key password, label sticker, language locale, library package, lifetime expiry, limit maximum,
limiter throttle, line row, link reference, lint stylecheck, list enumerate, loader reader, local nearby, lock
mutex, log journal, login signin, loop cycle, mail email, map chart, memory ram, merge combine, message notice,
messages notices, method function, metrics measurements, missing absent, mock fake, move relocate, name title, names
titles, naming labelling, never nowise, notification alert, number figure, old previous, open unlock, option
setting, options settings, order sequence, output result, override replace, page screen, parse read, password
credential, path location, payment checkout, permission authorisation, plugin extension, pool reserve, prefer
favour, price cost, print display, printer typesetter, prompt request, public visible, push upload, query question,
queue backlog, rate frequency, read load, reading loading, reads loads, record entry, records entries, release
version, remove delete, rename retitle, replace swap, report summary, repository project, request call, requires
needs, resizer scaler, response reply, restart reboot, retention preservation, retry reattempt, return give, review
appraisal, rounding truncation, rule convention, rules conventions, run execute, runner executor, running executing,
scheduler planner, schema structure, scheme convention, scope extent, screen display, script program, search lookup,
secret confidential, sender dispatcher, server backend, service daemon, session visit, setting option, settings
configuration, setup installation, shipping delivery, show display, silent quiet, size length, skip omit, slow
sluggish, sort arrange, spec specification, start begin, starts begins, status state, stock inventory, stop end,
store keep, string text, support handle, sync mirror, table grid, tax duty, temporary scratch, test trial, tests
trials, thread worker, time clock, timeout deadline, token ticket, tool utility, tools utilities, touching altering,
translation localisation, type kind, types kinds, update refresh, upload transmission, url address, use employ, user
account, uses employs, using employing, value amount, values amounts, version revision, view panel, warning caution,
webhook callback, widget control, write save, wrong incorrect, zone region
"""
SYNONYMS: Mapping[str, str] = dict(pair.split() for pair in _PAIRS.replace("\n", " ").split(","))
