"""An rdflib-endpoint that takes updates, at the port that is its argument."""

import sys

import uvicorn
from rdflib import Dataset
from rdflib_endpoint import SparqlEndpoint

app = SparqlEndpoint(graph=Dataset(), enable_update=True)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
