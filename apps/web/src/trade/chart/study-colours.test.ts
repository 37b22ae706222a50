import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const valuesOf = (css: string, names: string) =>
  [...css.matchAll(new RegExp(`--(${names}): (#[0-9a-f]{6})`, 'g'))].map(([, name = '', hex = '']) => ({
    name,
    hex,
  }));

/** Hue in OKLab, degrees. */
function hueOf(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const greenRed = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const blueYellow = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return (Math.atan2(blueYellow, greenRed) * 180) / Math.PI;
}

test('no indicator has the colour of a direction', () => {
  const directions = valuesOf(read('../../../../../packages/ui/src/tokens.css'), 'teal|vermilion');
  const studies = valuesOf(read('./chart.module.css'), 'study-[0-9]');
  expect([directions.length, studies.length]).toEqual([4, 8]);
  for (const study of studies)
    for (const direction of directions) {
      const far = Math.abs(hueOf(study.hex) - hueOf(direction.hex)) % 360;
      expect(Math.min(far, 360 - far), `${study.name} and ${direction.name}`).toBeGreaterThanOrEqual(38);
    }
});
