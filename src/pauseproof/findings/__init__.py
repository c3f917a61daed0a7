"""Findings, their rule table and the report: plain data."""
