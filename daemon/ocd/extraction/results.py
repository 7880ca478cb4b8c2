"""The result of extract_data, in the keys of its reply."""

from collections import Counter
from typing import Any

from ocd.extraction import pipeline
from ocd.extraction.node_tree import PageCapture
from ocd.extraction.schema import SchemaField


def everything(found: PageCapture, *, page: bool) -> dict[str, Any]:
    """Return {data, message}: all structured data that the page contains."""
    data = pipeline.everything(found, page=page)
    counts = {key: len(value) for key, value in data.items() if key != "title" and value}
    listed = ", ".join(f"{count} {key}" for key, count in counts.items()) or "nothing"
    return {"data": data, "message": f"The page contains {listed}."}


def one(found: PageCapture, field: SchemaField, *, page: bool) -> dict[str, Any]:
    """Return {data, fields_found, strategies, confidence, fields_missing, …} of one object."""
    filled = pipeline.one(found, field, page=page)
    total = len(field.fields)
    here = len(filled.data)
    missing = f"; missing: {', '.join(filled.missing)}" if filled.missing else ""
    return {
        "data": filled.data, "fields_found": here, "fields_total": total,
        "strategies": filled.layers, "sources": filled.sources, "confidence": filled.confidence,
        "fields_missing": filled.missing, "required_missing": filled.required,
        "validation_errors": filled.errors,
        "message": f"Found {here} of {total} fields{missing}.",
    }  # fmt: skip


def many(
    found: PageCapture, field: SchemaField, *, page: bool, offset: int, limit: int
) -> dict[str, Any]:
    """Return {items, count, total, next_offset, strategies, …} of the repeated objects."""
    item = field.item if field.kind == "array" and field.item else field
    result = pipeline.many(found, item, page=page)
    total = len(result.items)
    page_rows = result.items[offset : offset + limit]
    end = offset + len(page_rows)
    names = [field.name for field in item.fields]
    counts = Counter(name for row in result.items for name in row)
    data: dict[str, Any] = {
        "items": page_rows, "count": len(page_rows), "total": total,
        "next_offset": end if page_rows and end < total else None,
        "fields_total": len(names), "fields_found": sum(name in counts for name in names),
        "strategies": _strategies(result, names, counts),
        "fields_missing": [name for name in names if name not in counts],
        "incomplete_items": {
            field.name: total - counts[field.name]
            for field in item.fields
            if field.required and counts[field.name] < total
        },
    }  # fmt: skip
    if result.rows is not None:
        data |= {"source": result.rows.source, "confidence": round(result.rows.score, 2)}
    data["message"] = f"Found {total} items." if total else "No repeated items fit the schema."
    return data


def _strategies(
    result: pipeline.RepeatedObjects, names: list[str], counts: Counter[str]
) -> dict[str, str]:
    if result.rows is not None:
        return {name: result.rows.layer for name in names if name in counts}
    layers: dict[str, str] = {}
    for filled in result.found:
        for name, layer in filled.layers.items():
            layers.setdefault(name, layer)
    return layers
