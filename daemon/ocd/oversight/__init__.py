"""Decisions by people while agents work: approvals and leases."""
