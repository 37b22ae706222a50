import type { Language } from '@fairtick/protocol';
import { FAINT, MARGIN, PdfSheet, ROW } from './pdf-sheet.ts';
import { amountText, LABELS } from './statement.ts';
import { StatementFont } from './statement-font.ts';
import { monthText, YEAR_LABELS, YEAR_SUMS, type YearStatement } from './year-statement.ts';

/** The widths of the month, of the seven sums and of the balance add up to the page's width between its margins. */
const WIDTHS = [50, ...YEAR_SUMS.map(() => 56), 73] as const;
const WHOLE = WIDTHS.reduce((sum, width) => sum + width, 0);
/** The rows of an asset besides its months: its name, its head, its opening and its year. */
const FRAME_ROWS = 5;

/** A customer's year as PDF: a table for each asset, by months, between its opening and its closing balance. */
export async function yearPdf(statement: YearStatement, language: Language): Promise<Buffer> {
  const { account, year, zone, assets } = statement;
  const title = YEAR_LABELS.title[language].replace('{year}', String(year));
  const texts = [LABELS, YEAR_LABELS].flatMap((all) => Object.values(all).map((text) => text[language]));
  const font = await StatementFont.for(['–\u2212·', title, ...texts]);
  const sheet = new PdfSheet(font, language, title);
  for (const [label, value] of [
    [LABELS.account[language], account],
    [LABELS.period[language], `${year}-01-01 – ${year}-12-31`],
    [LABELS.zone[language], zone],
  ] as const) {
    sheet.text(label, MARGIN, { colour: FAINT });
    sheet.text(value, MARGIN + 90);
    sheet.y += ROW;
  }
  sheet.y += 8;
  for (const one of assets) writeAsset(sheet, year, one);
  const notes = assets.length === 0 ? [LABELS.none] : [YEAR_LABELS.rule, YEAR_LABELS.others];
  for (const note of notes) sheet.paragraph(note[language], { size: 8.5, colour: FAINT });
  return sheet.end();
}

function writeAsset(
  sheet: PdfSheet,
  year: number,
  { asset, opening, closing, months, sums }: YearStatement['assets'][number],
): void {
  const { language } = sheet;
  sheet.makeRoom((months.length + FRAME_ROWS) * ROW);
  writeRow(sheet, [asset]);
  const heads = [YEAR_LABELS.month, ...YEAR_SUMS.map((name) => YEAR_LABELS[name]), YEAR_LABELS.balance];
  writeRow(
    sheet,
    heads.map((label) => label[language]),
    { colour: FAINT },
  );
  sheet.rule(MARGIN + WHOLE);
  writeRow(sheet, [LABELS.opening[language], ...YEAR_SUMS.map(() => ''), amountText(opening)]);
  for (const line of [...months, { month: null, sums, balance: closing }])
    writeRow(sheet, [
      monthText(year, line.month, language),
      ...YEAR_SUMS.map((name) => amountText(line.sums[name])),
      amountText(line.balance),
    ]);
  sheet.y += 12;
}

function writeRow(sheet: PdfSheet, texts: readonly string[], look: { readonly colour?: string } = {}): void {
  let x = MARGIN;
  for (const [place, text] of texts.entries()) {
    const width = WIDTHS[place] ?? 0;
    sheet.text(text, x, { width, isRight: place > 0, ...look });
    x += width;
  }
  sheet.y += ROW;
}
