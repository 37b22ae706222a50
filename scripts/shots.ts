import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ownFonts } from '@fairtick/kit/browser/fonts.ts';
import { axeFindings } from '@fairtick/kit/browser/screens.ts';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, ensureChromium } from './chromium.ts';
import { startDemo } from './shots/demo.ts';
import { keep, shrink } from './shots/kept.ts';
import { type People, prepare } from './shots/people.ts';
import { ALL_LOOKS, FIRST_LOOKS, type Look, looksOf, nameOf } from './shots/sizes.ts';
import { type Demo, Studio, scenesOf } from './shots/studio.ts';

/**
 * Pictures of every screen and state for people to look at: `npm run shots`, or `npm run shots -- NAME…` for some of them. By default
 * every size in one look, and two sizes of the app and one of the office in all languages and themes. `LOOKS=all` takes all
 * combinations; `LOOKS=app-375x812-zh-light,office-1920x1080-en-dark` names them. `AXE=1` also checks each for accessibility.
 *
 * Taken from a running demo (`FAIRTICK_ORIGIN` and `FAIRTICK_OFFICE`; the people made there are kept for the next time), or from one
 * that is started for it.
 *
 * A scene whose state can't be reached has no picture. The command names it, and ends with 1.
 *
 * `--keep` takes the two first looks alone, without what no two runs have in common, and writes the small pictures again that
 * `tests/journeys/pictures.full.test.ts` compares with.
 */
const FOLDER = 'shots';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'boolean', default: false } },
});
const looks = values.keep ? Object.values(FIRST_LOOKS) : looksOf(process.env.LOOKS);
const wanted = new Set(positionals);
const wants = ({ name }: { name: string }) => wanted.size === 0 || wanted.has(name);
const unknown = [...wanted].filter(
  (name) => !ALL_LOOKS.flatMap(scenesOf).some((scene) => scene.name === name),
);
if (unknown.length > 0) throw new Error(`no scene is named ${unknown.join(', ')}`);
const failures: string[] = [];

const server = process.env.FAIRTICK_ORIGIN ? null : await startDemo();
const browser = await chromium.launch({
  executablePath: ensureChromium(),
  args: [...CHROMIUM_FLAGS],
  env: await ownFonts(),
});
try {
  const origin = process.env.FAIRTICK_ORIGIN as string;
  const office = process.env.FAIRTICK_OFFICE as string;
  const demo: Demo = { browser, origin, office, people: await knownOrNew(origin) };
  const studio = new Studio(demo);
  for (const look of looks) await takeAll(studio, look);
} finally {
  await browser.close();
  await server?.stop();
}
if (failures.length > 0) {
  console.error(`\n${failures.length} without a picture:\n${failures.join('\n')}`);
  process.exitCode = 1;
}

/** The people made earlier at this origin; otherwise new ones. */
async function knownOrNew(origin: string): Promise<People> {
  const file = join(FOLDER, 'people.json');
  if (!server && existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as { origin: string; people: People };
    if (known.origin === origin) return known.people;
  }
  console.log('filling the demo: some minutes');
  const people = await prepare();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, JSON.stringify({ origin, people }));
  return people;
}

async function takeAll(studio: Studio, look: Look): Promise<void> {
  const folder = join(FOLDER, nameOf(look));
  mkdirSync(folder, { recursive: true });
  for (const scene of scenesOf(look).filter(wants)) {
    const file = join(folder, `${scene.name}.png`);
    rmSync(file, { force: true });
    const where = `${nameOf(look)} ${scene.name}`;
    try {
      const picture = await studio.take(scene, look, {
        isStill: values.keep,
        hear: (text) => {
          if (!text.startsWith('Service Worker registration blocked'))
            console.error(`${where}: ${text.slice(0, 200)}`);
        },
        look: async (page) => {
          if (!process.env.AXE) return;
          for (const finding of await axeFindings(page)) console.error(`${where}: ${finding}`);
        },
      });
      writeFileSync(file, picture);
      if (values.keep) keep(look.part, scene.name, await shrink(browser, picture));
    } catch (error) {
      failures.push((error as Error).message);
      console.error((error as Error).message);
    }
  }
  console.log(folder);
}
