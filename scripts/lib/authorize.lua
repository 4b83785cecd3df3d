-- Authorizes with a live session and a consent that is remembered: opens the endpoint, and then where that leads, until
-- a code comes. The target and the cookies come from the environment.
local waiting = {}
local start = os.getenv("BENCH_PATH")
local headers = { ["Cookie"] = os.getenv("BENCH_COOKIE") }

function request()
  return wrk.format("GET", table.remove(waiting) or start, headers)
end

local wrong = 0
function response(status, answered)
  local place = answered["location"] or answered["Location"] or ""
  if place:find("[?&]code=") then return end
  if (status == 302 or status == 303) and place:sub(1, 1) == "/" then
    waiting[#waiting + 1] = place
  else
    wrong = wrong + 1
    if wrong == 1 then io.stderr:write("answer with status " .. status .. " leads to " .. place .. "\n") end
  end
end
