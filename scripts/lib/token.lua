-- Posts one form again and again, as a client that authenticates; without BENCH_BODY it asks for client credentials.
-- Path, credentials and further parameters come from the environment.
wrk.method = "POST"
wrk.path = os.getenv("BENCH_PATH")
wrk.body = os.getenv("BENCH_BODY") or "grant_type=client_credentials" .. (os.getenv("BENCH_MORE") or "")
wrk.headers["Authorization"] = "Basic " .. os.getenv("BENCH_BASIC")
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
