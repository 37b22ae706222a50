import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const { decompress } = require('wawoff2') as { decompress(packed: Buffer): Promise<Uint8Array> };

/** The fonts of every page under test, whatever the machine has: sans serif, figures of one width, and Chinese in a hundred parts. */
const FONTS = [
  ['@fontsource-variable/arimo', /-latin-wght-normal/],
  ['@fontsource-variable/roboto-mono', /-latin-wght-normal/],
  ['@fontsource-variable/noto-sans-sc', /./],
] as const;
/** Slight hinting, because stronger makes widths whole pixels; and what an unknown family stands for. */
const RULES = `
  <match><edit name="hintstyle"><const>hintslight</const></edit></match>
  <match><edit name="family" mode="append_last"><string>Arimo</string></edit></match>
  <alias binding="same"><family>monospace</family><prefer><family>Roboto Mono</family></prefer></alias>`;

/**
 * The environment of a browser that shows these fonts and none of the machine's. They are made once: `TEST_FONTS` names the settings of
 * fontconfig to the processes that this one starts.
 */
export async function ownFonts(): Promise<Record<string, string>> {
  process.env.TEST_FONTS ??= await makeFonts();
  return { ...process.env, FONTCONFIG_FILE: process.env.TEST_FONTS } as Record<string, string>;
}

/** Unpacks the fonts, because Chromium takes no packed ones from a system. @returns the settings of fontconfig */
async function makeFonts(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'fairtick-fonts-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [name, wanted] of FONTS) {
    const files = join(dirname(require.resolve(`${name}/package.json`)), 'files');
    for (const file of readdirSync(files).filter((each) => wanted.test(each)))
      writeFileSync(
        join(folder, file.replace(/woff2$/, 'ttf')),
        await decompress(readFileSync(join(files, file))),
      );
  }
  const place = folder.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<fontconfig><dir>${place}</dir><cachedir>${place}/cache</cachedir>${RULES}</fontconfig>`,
  );
  return file;
}
