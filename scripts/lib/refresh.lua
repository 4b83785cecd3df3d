-- Refreshes chains of tokens: each request takes the token of a former answer, and no token is used twice.
-- Path, credentials and the file with the first tokens come from the environment.
local tokens = {}
for line in io.lines(os.getenv("BENCH_TOKENS")) do tokens[#tokens + 1] = line end

local headers = {
  ["Authorization"] = "Basic " .. os.getenv("BENCH_BASIC"),
  ["Content-Type"] = "application/x-www-form-urlencoded",
}
local path = os.getenv("BENCH_PATH")

function request()
  return wrk.format("POST", path, headers, "grant_type=refresh_token&refresh_token=" .. table.remove(tokens))
end

local wrong = 0
function response(status, _, body)
  local token = body:match('"refresh_token"%s*:%s*"([^"]+)"')
  if status == 200 and token then
    tokens[#tokens + 1] = token
  else
    wrong = wrong + 1
    if wrong == 1 then io.stderr:write("answer with status " .. status .. ": " .. body .. "\n") end
  end
end
