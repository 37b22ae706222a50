import { setImmediate as breathe } from 'node:timers/promises';
import type { FundEntry, Language } from '@fairtick/protocol';
import { REQUEST_STATES, stateText } from '@fairtick/protocol/request-states';
import { FAINT, MARGIN, PdfSheet, ROW } from './pdf-sheet.ts';
import { ABOUT, amountText, LABELS, refText, type Statement, TYPES, timeText } from './statement.ts';
import { StatementFont } from './statement-font.ts';

/** Width of the three columns of balances. */
const BALANCES_WIDTH = 320;
/** Lines that are set before the event loop serves other work. */
const LINES_AT_ONCE = 40;

interface Column {
  readonly label: keyof typeof LABELS;
  readonly width: number;
  readonly isRight?: true;
  readonly text: (entry: FundEntry, language: Language, zone: string) => string;
}

/** The columns' widths add up to the page's width between its margins. */
const COLUMNS: readonly Column[] = [
  { label: 'time', width: 92, text: ({ time }, _language, zone) => timeText(time, zone) },
  { label: 'type', width: 70, text: ({ type }, language) => TYPES[type][language] },
  { label: 'result', width: 50, text: ({ result, ending }, language) => stateText(result, ending, language) },
  { label: 'asset', width: 34, text: ({ asset }) => asset },
  { label: 'amount', width: 76, isRight: true, text: ({ amount }) => amountText(amount) },
  {
    label: 'balance',
    width: 76,
    isRight: true,
    text: ({ balance }) => (balance === null ? '–' : amountText(balance)),
  },
  { label: 'ref', width: 117, isRight: true, text: refText },
];

/** A customer's statement as PDF: balances before and after, every line, numbered pages. */
export async function statementPdf(statement: Statement, language: Language): Promise<Buffer> {
  const shown = [LABELS, TYPES, REQUEST_STATES, ABOUT].flatMap((texts) =>
    Object.values(texts).map((text) => text[language]),
  );
  const sheet = new PdfSheet(
    await StatementFont.for(['–\u2212·', ...shown]),
    language,
    LABELS.title[language],
  );
  writeHead(sheet, statement);
  writeColumns(sheet);
  if (statement.entries.length === 0) {
    sheet.text(LABELS.none[language], MARGIN, { colour: FAINT });
    sheet.y += ROW;
  }
  for (const [place, entry] of statement.entries.entries()) {
    if (sheet.makeRoom()) writeColumns(sheet);
    let x = MARGIN;
    for (const { width, isRight, text } of COLUMNS) {
      sheet.text(text(entry, language, statement.zone), x, { width, isRight: isRight === true });
      x += width;
    }
    sheet.y += ROW;
    if (place % LINES_AT_ONCE === LINES_AT_ONCE - 1) await breathe();
  }
  return sheet.end();
}

function writeHead(sheet: PdfSheet, { account, zone, from, to, balances }: Statement): void {
  const { language } = sheet;
  const begin = from === null ? LABELS.begin[language] : timeText(from, zone);
  for (const [label, value] of [
    [LABELS.account[language], account],
    [LABELS.period[language], `${begin} – ${timeText(to, zone)}`],
    [LABELS.zone[language], zone],
  ] as const) {
    sheet.text(label, MARGIN, { colour: FAINT });
    sheet.text(value, MARGIN + 90);
    sheet.y += ROW;
  }
  sheet.y += 8;
  const cells = (texts: readonly string[], look: { readonly colour?: string } = {}) => {
    for (const [place, text] of texts.entries())
      sheet.text(text, MARGIN + place * 110, { width: 100, isRight: place > 0, ...look });
    sheet.y += ROW;
  };
  const labels = [LABELS.asset, LABELS.opening, LABELS.closing];
  cells(
    labels.map((label) => label[language]),
    { colour: FAINT },
  );
  sheet.rule(MARGIN + BALANCES_WIDTH);
  for (const { asset, opening, closing } of balances)
    cells([asset, amountText(opening), amountText(closing)]);
  sheet.y += 12;
}

function writeColumns(sheet: PdfSheet): void {
  let x = MARGIN;
  for (const { label, width, isRight } of COLUMNS) {
    sheet.text(LABELS[label][sheet.language], x, { width, isRight: isRight === true, colour: FAINT });
    x += width;
  }
  sheet.y += ROW;
  sheet.rule(x);
}
