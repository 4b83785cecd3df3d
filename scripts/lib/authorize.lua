-- Authorizes with a live session and a consent that is remembered: each answer has to lead to the app with a code. The
-- target and the cookies come from the environment.
local headers = { ["Cookie"] = os.getenv("BENCH_COOKIE") }
local path = os.getenv("BENCH_PATH")

function request()
  return wrk.format("GET", path, headers)
end

local wrong = 0
function response(status, answered)
  local place = answered["location"] or answered["Location"] or ""
  if not place:find("[?&]code=") then
    wrong = wrong + 1
    if wrong == 1 then io.stderr:write("answer with status " .. status .. " leads to " .. place .. "\n") end
  end
end
