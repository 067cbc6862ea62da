"""A read-only SPARQL 1.1 Protocol service over a store, with a page to ask it from a browser.

Built on the standard library's HTTP server: what is served is small, the work is in processes of their own, and no
framework has to be trusted with a port.
"""

from checkpoint_ld.sparql.service import Server, Settings

__all__ = ["Server", "Settings"]
