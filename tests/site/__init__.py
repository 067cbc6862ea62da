# noqa: A005 - it is tests.site to Python, never site
