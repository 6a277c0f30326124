"use strict";
(() => {
  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text) element.textContent = text;
    return element;
  };

  // Tables that can be sorted and filtered: table.live, cells with data-sort where text misleads.
  const valueOf = (row, place) => {
    const cell = row.cells[place];
    const given = cell.dataset.sort ?? cell.textContent.trim();
    const number = given === "" ? NaN : Number(given);
    return Number.isNaN(number) ? given.toLowerCase() : number;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1; // numbers before what has none
  };

  for (const table of document.querySelectorAll("table.live")) {
    const body = table.tBodies[0], rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const tools = make("div", { class: "tools" });
    const said = make("span", { class: "note", "aria-live": "polite" });
    const id = `tools-${table.id}`;

    const sortBy = (place, down) => {
      const sign = down ? -1 : 1;
      const keyed = rows.map((row, i) => [place < 0 ? i : valueOf(row, place), i, row]);
      keyed.sort((a, b) => sign * compare(a[0], b[0]) || a[1] - b[1]);
      body.append(...keyed.map((entry) => entry[2]));
      heads.forEach((head, i) => {
        if (i === place) head.setAttribute("aria-sort", down ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
    };
    heads.forEach((head, place) => {
      const name = head.textContent.trim();
      if (!name || head.dataset.fixed !== undefined) return;
      const button = make("button", { type: "button", title: `Sort by ${name}` }, name);
      button.addEventListener("click", () =>
        sortBy(place, head.getAttribute("aria-sort") === "ascending"));
      head.replaceChildren(button);
    });

    const chosen = make("select", { id: `${id}-sort` });
    chosen.append(make("option", { value: "-1" }, "as given"));
    heads.forEach((head, place) => {
      if (head.querySelector("button"))
        for (const [suffix, down] of [["rising", 0], ["falling", 1]])
          chosen.append(make("option", { value: `${place}:${down}` }, `${head.textContent}, ${suffix}`));
    });
    chosen.addEventListener("change", () => {
      const [place, down] = chosen.value.split(":").map(Number);
      sortBy(place, Boolean(down));
    });
    const sorter = make("span", { class: "sorter" });
    sorter.append(make("label", { for: `${id}-sort` }, "sort "), chosen);

    const filter = make("input", { type: "search", id: `${id}-filter`, autocomplete: "off" });
    const near = make("input", { type: "checkbox", id: `${id}-near` });
    const show = () => {
      const wanted = filter.value.trim().toLowerCase();
      let n = 0;
      for (const row of rows) {
        const fits = row.cells[0].textContent.toLowerCase().includes(wanted);
        row.hidden = !(fits && (!near.checked || row.dataset.near !== undefined));
        n += row.hidden ? 0 : 1;
      }
      said.textContent = n < rows.length ? `${n} of ${rows.length} shown` : "";
    };
    filter.addEventListener("input", show);
    near.addEventListener("change", show);
    tools.append(make("label", { for: `${id}-filter` }, "filter "), filter, sorter);
    if (rows.some((row) => row.dataset.near !== undefined)) {
      const label = make("label", { for: `${id}-near` }, " only the best and those within noise");
      label.prepend(near);
      tools.append(label);
    }
    tools.append(said);
    table.before(tools);
  }

  // The threshold of the positive class: counts of rows at each hundredth.
  const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "–");
  for (const box of document.querySelectorAll(".threshold")) {
    const counts = JSON.parse(box.dataset.counts);
    const slider = box.querySelector("input");
    const show = () => {
      const i = Number(slider.value), called = counts.called[i], right = counts.right[i];
      const missed = counts.positive - right, wrong = called - right;
      const values = {
        at: (i / 100).toFixed(2), right, wrong, missed,
        left: counts.n - called - missed,
        precision: percent(right, called), recall: percent(right, counts.positive),
        specificity: percent(counts.n - counts.positive - wrong, counts.n - counts.positive),
        f1: called + counts.positive ? ((2 * right) / (called + counts.positive)).toFixed(3) : "–",
      };
      for (const [name, value] of Object.entries(values))
        for (const place of box.querySelectorAll(`[data-value="${name}"]`)) place.textContent = value;
      slider.setAttribute("aria-valuetext", `from ${values.at} on`);
    };
    slider.addEventListener("input", show);
    box.hidden = false;
    show();
  }

  // On paper everything is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));

  const save = document.getElementById("save-data");
  save.hidden = false;
  save.addEventListener("click", () => {
    const text = JSON.stringify(JSON.parse(document.getElementById("data-json").textContent), null, 2);
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    make("a", { href: url, download: "comparison.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
})();
