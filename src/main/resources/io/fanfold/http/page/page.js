"use strict";

// Every text of a server or a client goes into the page as text, never as HTML.

const INTERVAL = 1000;
const MOST_DIGESTS = 20;
const MOST_PARTS = 64;

let token = sessionStorage.getItem("fanfold-token") || "";

const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function call(path, options = {}) {
  const headers = { ...(options.headers || {}) };
  if (token) headers.Authorization = "Bearer " + token;
  const response = await fetch(path, { ...options, headers, cache: "no-store" });
  if (response.status === 401) throw new Unauthorized();
  return response;
}

class Unauthorized extends Error {}

async function read(path) {
  const response = await call(path);
  if (!response.ok) throw new Error(path + " answered " + response.status);
  return response.json();
}

function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value >= 100) return Math.round(value) + " s";
  return value >= 1 ? value.toFixed(1) + " s" : Math.round(value * 1000) + " ms";
}

const count = (value) => Number(value).toLocaleString("en");

// ---- running fan-outs ----

function part(query) {
  const box = element("div", null, "part" + (query.done ? " done" : ""));
  const name = element("div", null, "name");
  const label = element("span", query.partitions.join(", "));
  label.title = query.partitions.join(", ");
  name.append(label, element("span", query.waiting ? "waits" : seconds(query.seconds)));
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = query.done ? 1 : query.share;
  bar.setAttribute("aria-label", "partition query " + label.textContent);
  box.append(name, bar);
  return box;
}

function fanOut(running) {
  const box = element("article", null, "fan-out");
  box.dataset.id = running.id;
  const head = element("div", null, "head");
  head.append(
    element("b", running.user + (running.db ? " in " + running.db : "")),
    element("span", "session " + running.id, "quiet"),
    element("span", seconds(running.time), "time"),
    element("span", running.state + ", " + running.queries_done + " of " + running.queries, "quiet"),
    element("span", running.seconds_left === null ? "" : "about " + seconds(running.seconds_left) + " left", "quiet"));
  const kill = element("button", "Kill", "danger");
  kill.type = "button";
  kill.addEventListener("click", () => openKill(running.id));
  head.append(kill);
  const parts = element("div", null, "parts");
  running.parts.slice(0, MOST_PARTS).forEach((query) => parts.append(part(query)));
  box.append(head, element("code", running.info), parts);
  if (running.parts.length > MOST_PARTS) {
    box.append(element("p", "and " + (running.parts.length - MOST_PARTS) + " more partition queries", "quiet"));
  }
  return box;
}

function showRunning(all) {
  byId("idle").hidden = all.length > 0;
  byId("running").replaceChildren(...all.map(fanOut));
}

// ---- tables ----

function table(id, columns, rows) {
  const head = element("tr");
  columns.forEach((column) => head.append(element("th", column.title, column.kind)));
  const body = rows.map((row) => {
    const line = element("tr");
    columns.forEach((column) => line.append(element("td", column.value(row), column.kind)));
    return line;
  });
  const top = element("thead");
  top.append(head);
  const rest = element("tbody");
  rest.append(...body);
  byId(id).replaceChildren(top, rest);
}

const DIGESTS = [
  { title: "Statement", kind: "text", value: (row) => row.DIGEST_TEXT === null ? "all others" : row.DIGEST_TEXT },
  { title: "Schema", value: (row) => row.SCHEMA_NAME },
  { title: "User", value: (row) => row.USER },
  { title: "Executions", kind: "number", value: (row) => count(row.EXECUTIONS) },
  { title: "Split", kind: "number", value: (row) => count(row.SPLIT) },
  { title: "Time", kind: "number", value: (row) => seconds(row.SPLIT_SECONDS + row.DIRECT_SECONDS) },
  { title: "Saved", kind: "number", value: (row) => row.SAVED_SECONDS === 0 ? "" : seconds(row.SAVED_SECONDS) },
  { title: "Last reason", value: (row) => row.LAST_REASON || "" },
];

const DIFFERENCES = [
  { title: "Statement", kind: "text", value: (row) => row.DIGEST_TEXT },
  { title: "Schema", value: (row) => row.SCHEMA_NAME },
  { title: "Difference", value: (row) => row.DIFFERENCE },
  { title: "Found", value: (row) => row.FOUND },
  { title: "Id", value: (row) => row.ID },
];

function showDifferences(rows) {
  byId("different").hidden = rows.length === 0;
  table("differences", DIFFERENCES, rows);
}

const REASONS = [
  { title: "Reason", value: (row) => row.REASON },
  { title: "Statements", kind: "number", value: (row) => count(row.STATEMENTS) },
  { title: "Meaning", value: (row) => row.MEANING },
];

const SERVERS = [
  { title: "Server", value: (row) => row.HOST + ":" + row.PORT },
  { title: "Role", value: (row) => row.ROLE },
  { title: "Status", value: (row) => row.STATUS },
  { title: "Version", value: (row) => row.VERSION || "" },
  { title: "Worker account", value: (row) => row.WORKER_USER },
  { title: "Splits", kind: "number", value: (row) => count(row.FAN_OUTS) },
  { title: "Workers in use", kind: "number", value: (row) => row.WORKERS_IN_USE + " of " + row.WORKERS_MAX },
  { title: "Waiting", kind: "number", value: (row) => row.QUERIES_WAITING },
  { title: "Last error", value: (row) => row.LAST_ERROR || "" },
];

function showServer(rows) {
  const badge = byId("server");
  const down = rows.some((row) => row.STATUS === "DOWN");
  badge.className = "badge " + (down ? "down" : "up");
  badge.textContent = rows.length === 0 ? "no server" : rows[0].HOST + ":" + rows[0].PORT + " " + rows[0].STATUS.toLowerCase();
  table("servers", SERVERS, rows);
}

function showTotals(rows) {
  const values = new Map(rows.map((row) => [row.Variable_name, row.Value]));
  const shown = [
    ["Clients", values.get("Fanfold_clients_connected")],
    ["Looked at", values.get("Fanfold_request_attempted")],
    ["Split", values.get("Fanfold_request_executed")],
    ["Passed through", values.get("Fanfold_request_not_chosen")],
  ];
  byId("totals").replaceChildren(...shown.map(([name, value]) => {
    const box = element("div");
    box.append(element("dt", name), element("dd", count(value || 0)));
    return box;
  }));
}

// ---- kill ----

function openKill(id) {
  byId("kill-id").textContent = id;
  byId("kill-error").textContent = "";
  byId("kill-password").value = "";
  byId("kill").showModal();
}

byId("kill-cancel").addEventListener("click", () => byId("kill").close());

byId("kill").querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = byId("kill-confirm");
  button.disabled = true;
  try {
    const response = await call("api/kill", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        id: Number(byId("kill-id").textContent),
        user: byId("kill-user").value,
        password: byId("kill-password").value,
      }),
    });
    if (response.ok) {
      byId("kill").close();
    } else {
      byId("kill-error").textContent = (await response.text()).trim();
    }
  } catch (failure) {
    byId("kill-error").textContent = String(failure.message || failure);
  } finally {
    button.disabled = false;
    byId("kill-password").value = "";
  }
});

// ---- token ----

byId("login").querySelector("form").addEventListener("submit", () => {
  token = byId("token").value;
  sessionStorage.setItem("fanfold-token", token);
  byId("token").value = "";
});

// ---- refresh ----

async function refresh() {
  try {
    const [running, digests, reasons, servers, status, differences] = await Promise.all([
      read("api/fan-outs"),
      read("api/digests?limit=" + MOST_DIGESTS),
      read("api/reasons"),
      read("api/servers"),
      read("api/status"),
      read("api/differences"),
    ]);
    showRunning(running);
    table("digests", DIGESTS, digests);
    table("reasons", REASONS, reasons);
    showServer(servers);
    showTotals(status);
    showDifferences(differences);
    byId("notice").textContent = "";
  } catch (failure) {
    if (failure instanceof Unauthorized) {
      if (!byId("login").open) byId("login").showModal();
    } else {
      byId("notice").textContent = "Fanfold does not answer; the page shows its last state.";
    }
  }
  setTimeout(refresh, document.hidden ? 5 * INTERVAL : INTERVAL);
}

refresh();
