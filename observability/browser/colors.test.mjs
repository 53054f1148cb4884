// @ts-check
/** Whether the fixed colours of a panel can be told apart by everybody, on both of Grafana's themes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { DASHBOARDS, NAMES } from './stage.mjs';

/** Its build for `import` cannot be loaded by Node.js. @type {typeof import('@grafana/data')} */
const { createTheme } = createRequire(import.meta.url)('@grafana/data');

/** How people see who lack a kind of cone: Machado, Oliveira and Fernandes 2009, with severity 1; on linear RGB. */
const EYES = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
/** Of two colours in CIELAB; from about 2.3 on people see a difference at all. */
const MIN_DISTANCE = 12;
/** WCAG 2.1, 1.4.11: graphical objects. */
const MIN_CONTRAST = 3;

/** @typedef {[number, number, number]} Triple */

/** @param {string} hex @returns {Triple} linear RGB */
function linear(hex) {
  const channel = (/** @type {number} */ at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** @param {Triple} color @param {readonly number[]} m */
function seenBy([r, g, b], m) {
  const row = (/** @type {number} */ at) =>
    Math.min(1, Math.max(0, (m[at] ?? 0) * r + (m[at + 1] ?? 0) * g + (m[at + 2] ?? 0) * b));
  return /** @type {Triple} */ ([row(0), row(3), row(6)]);
}

const luminance = (/** @type {Triple} */ [r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** @param {Triple} color @returns {Triple} CIELAB */
function lab([r, g, b]) {
  const f = (/** @type {number} */ t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** @param {Triple} one @param {Triple} other */
const distance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

/** @param {Triple} one @param {Triple} other */
function contrast(one, other) {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The fixed colours of each panel that has some. */
const PANELS = NAMES.flatMap((name) => {
  const { panels } = JSON.parse(readFileSync(`${DASHBOARDS}/${name}.json`, 'utf8'));
  return panels.flatMap((/** @type {any} */ { title, fieldConfig }) => {
    const properties = (fieldConfig?.overrides ?? []).flatMap((/** @type {any} */ each) => each.properties);
    const colors = properties.flatMap((/** @type {any} */ { id, value }) =>
      id === 'color' ? [value.fixedColor] : [],
    );
    return colors.length > 0 ? [{ title, colors: /** @type {string[]} */ ([...new Set(colors)]) }] : [];
  });
});

for (const mode of /** @type {const} */ (['dark', 'light'])) {
  const theme = createTheme({ colors: { mode } });
  const colorOf = (/** @type {string} */ name) => linear(theme.visualization.getColorByName(name));

  test(`in the ${mode} theme fixed colours stand out from a panel`, () => {
    assert.ok(PANELS.length > 5);
    const background = linear(theme.colors.background.primary);
    const names = new Set(PANELS.flatMap(({ colors }) => colors));
    assert.deepEqual(
      [...names].filter((name) => contrast(colorOf(name), background) < MIN_CONTRAST),
      [],
    );
  });

  for (const [eyes, matrix] of Object.entries(EYES)) {
    test(`in the ${mode} theme the fixed colours of a panel differ, with ${eyes}`, () => {
      const seen = (/** @type {string} */ name) => lab(seenBy(colorOf(name), matrix));
      const alike = PANELS.flatMap(({ title, colors }) =>
        colors.flatMap((one, index) =>
          colors
            .slice(index + 1)
            .filter((other) => distance(seen(one), seen(other)) < MIN_DISTANCE)
            .map((other) => `${title}: ${one} and ${other}`),
        ),
      );
      assert.deepEqual(alike, []);
    });
  }
}
