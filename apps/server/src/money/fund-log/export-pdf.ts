import { setImmediate as breathe } from 'node:timers/promises';
import type { FundEntry, Language } from '@fairtick/protocol';
import { REQUEST_STATES, stateText } from '@fairtick/protocol/request-states';
import PDFDocument from 'pdfkit';
import { ABOUT, amountText, LABELS, refText, type Statement, TYPES, timeText } from './statement.ts';
import { StatementFont } from './statement-font.ts';

const MARGIN = 40;
const SIZE = 8.5;
const ROW = 15;
const INK = '#1b1e24';
const FAINT = '#70757f';
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
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    info: { Title: LABELS.title[language], Author: 'Fairtick' },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.once('end', resolve);
    document.once('error', reject);
  });
  const shown = [LABELS, TYPES, REQUEST_STATES, ABOUT].flatMap((texts) =>
    Object.values(texts).map((text) => text[language]),
  );
  const page = new StatementPage(
    document,
    await StatementFont.for(['–\u2212·', ...shown]),
    language,
    statement.zone,
  );
  page.head(statement);
  page.columns();
  if (statement.entries.length === 0) page.note(LABELS.none[language]);
  for (const [place, entry] of statement.entries.entries()) {
    page.row(entry);
    if (place % LINES_AT_ONCE === LINES_AT_ONCE - 1) await breathe();
  }
  page.numbers();
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Draws text at a position. The font comes in parts, so a line consists of runs. */
class StatementPage {
  readonly #document: PDFKit.PDFDocument;
  readonly #font: StatementFont;
  readonly #language: Language;
  readonly #zone: string;
  #y = MARGIN;

  constructor(document: PDFKit.PDFDocument, font: StatementFont, language: Language, zone: string) {
    this.#document = document;
    this.#font = font;
    this.#language = language;
    this.#zone = zone;
  }

  head({ account, zone, from, to, balances }: Statement): void {
    const language = this.#language;
    this.#mark();
    this.#text(LABELS.title[language], MARGIN, { size: 17 });
    this.#y += 32;
    const begin = from === null ? LABELS.begin[language] : timeText(from, zone);
    for (const [label, value] of [
      [LABELS.account[language], account],
      [LABELS.period[language], `${begin} – ${timeText(to, zone)}`],
      [LABELS.zone[language], zone],
    ] as const) {
      this.#text(label, MARGIN, { colour: FAINT });
      this.#text(value, MARGIN + 90);
      this.#y += ROW;
    }
    this.#y += 8;
    const labels = [LABELS.asset, LABELS.opening, LABELS.closing];
    this.#cells(
      labels.map((label) => label[language]),
      FAINT,
    );
    this.#line(MARGIN + BALANCES_WIDTH);
    for (const { asset, opening, closing } of balances)
      this.#cells([asset, amountText(opening), amountText(closing)]);
    this.#y += 12;
  }

  columns(): void {
    let x = MARGIN;
    for (const { label, width, isRight } of COLUMNS) {
      this.#text(LABELS[label][this.#language], x, { width, isRight: isRight === true, colour: FAINT });
      x += width;
    }
    this.#y += ROW;
    this.#line(x);
  }

  row(entry: FundEntry): void {
    if (this.#y + ROW > this.#document.page.height - MARGIN - ROW) {
      this.#document.addPage();
      this.#y = MARGIN;
      this.columns();
    }
    let x = MARGIN;
    for (const { width, isRight, text } of COLUMNS) {
      this.#text(text(entry, this.#language, this.#zone), x, { width, isRight: isRight === true });
      x += width;
    }
    this.#y += ROW;
  }

  note(text: string): void {
    this.#text(text, MARGIN, { colour: FAINT });
    this.#y += ROW;
  }

  /** Adds the page numbers, once all pages exist. */
  numbers(): void {
    const { count } = this.#document.bufferedPageRange();
    for (let place = 0; place < count; place += 1) {
      this.#document.switchToPage(place);
      this.#y = this.#document.page.height - MARGIN;
      const text = LABELS.page[this.#language]
        .replace('{page}', String(place + 1))
        .replace('{pages}', String(count));
      // Text below the margin would start a new page.
      this.#document.page.margins.bottom = 0;
      const width = this.#document.page.width - 2 * MARGIN;
      this.#text(text, MARGIN, { width, isRight: true, colour: FAINT });
    }
  }

  /** The house's logo at the right edge: an octagon and the name. */
  #mark(): void {
    const document = this.#document;
    const right = document.page.width - MARGIN;
    this.#text('Fairtick', right - 80, { size: 12, width: 80, isRight: true });
    const [x, y, radius] = [right - 64, this.#y + 8.5, 7];
    const corners = Array.from({ length: 8 }, (_, place) => {
      const angle = Math.PI / 8 + (place * Math.PI) / 4;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as [number, number];
    });
    document
      .polygon(...corners)
      .lineWidth(1.4)
      .stroke(INK);
  }

  /** Draws a rule below the last text, from the margin to `to`. */
  #line(to: number): void {
    this.#document
      .moveTo(MARGIN, this.#y - 3)
      .lineTo(to, this.#y - 3)
      .lineWidth(0.5)
      .stroke(FAINT);
  }

  #cells(texts: readonly string[], colour = INK): void {
    for (const [place, text] of texts.entries())
      this.#text(text, MARGIN + place * 110, { width: 100, isRight: place > 0, colour });
    this.#y += ROW;
  }

  #text(
    text: string,
    x: number,
    options: { size?: number; width?: number; isRight?: boolean; colour?: string } = {},
  ): void {
    const { size = SIZE, width, isRight = false, colour = INK } = options;
    const document = this.#document.fontSize(size).fillColor(colour);
    const runs = this.#font.runsOf(text).map(({ font, name, text: stretch }) => {
      document.registerFont(name, font).font(name);
      return { name, stretch, wide: document.widthOfString(stretch) };
    });
    const whole = runs.reduce((sum, { wide }) => sum + wide, 0);
    // Text wider than its column is scaled down, so that no figure is cut off.
    const shrink = width !== undefined && whole > width - 4 ? (width - 4) / whole : 1;
    document.fontSize(size * shrink);
    let at = isRight && width !== undefined ? x + width - whole * shrink : x;
    for (const { name, stretch, wide } of runs) {
      document.font(name).text(stretch, at, this.#y, { lineBreak: false });
      at += wide * shrink;
    }
  }
}
