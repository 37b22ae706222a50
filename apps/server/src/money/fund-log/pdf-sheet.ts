import type { Language } from '@fairtick/protocol';
import PDFDocument from 'pdfkit';
import { LABELS } from './statement.ts';
import type { StatementFont } from './statement-font.ts';

export const MARGIN = 40;
export const ROW = 15;
export const FAINT = '#70757f';
const SIZE = 8.5;
const INK = '#1b1e24';
/** Words, spaces and single Chinese characters: a line may end after each. */
const PIECES = /[\p{Script=Han}\p{P}]|[^\p{Script=Han}\s]+|\s+/gu;

interface Look {
  readonly size?: number;
  readonly width?: number;
  readonly isRight?: boolean;
  readonly colour?: string;
}

/** A PDF in A4, written from top to bottom. The font comes in parts, so a line consists of runs. */
export class PdfSheet {
  readonly document: PDFKit.PDFDocument;
  readonly language: Language;
  y = MARGIN;
  readonly #font: StatementFont;
  readonly #whole: Promise<Buffer>;

  constructor(font: StatementFont, language: Language, title: string) {
    this.#font = font;
    this.language = language;
    this.document = new PDFDocument({
      size: 'A4',
      margin: MARGIN,
      bufferPages: true,
      info: { Title: title, Author: 'Fairtick' },
    });
    const chunks: Buffer[] = [];
    this.document.on('data', (chunk: Buffer) => chunks.push(chunk));
    this.#whole = new Promise((resolve, reject) => {
      this.document.once('end', () => resolve(Buffer.concat(chunks)));
      this.document.once('error', reject);
    });
    this.#mark();
    this.text(title, MARGIN, { size: 17 });
    this.y += 32;
  }

  /** Begins a new page if less than a line of `height` is left on this one. @returns whether it did */
  makeRoom(height = ROW): boolean {
    if (this.y + height <= this.document.page.height - MARGIN - ROW) return false;
    this.document.addPage();
    this.y = MARGIN;
    return true;
  }

  /** Text of any length, in lines from margin to margin. */
  paragraph(text: string, { size = 10.5, colour = INK }: Look = {}): void {
    const width = this.document.page.width - 2 * MARGIN;
    let line = '';
    const write = () => {
      this.makeRoom(size * 1.6);
      this.text(line.trimEnd(), MARGIN, { size, colour });
      this.y += size * 1.6;
    };
    for (const piece of text.match(PIECES) ?? []) {
      if (line !== '' && this.#wide(line + piece.trimEnd(), size) > width) {
        write();
        line = '';
      }
      line += line === '' ? piece.trimStart() : piece;
    }
    if (line !== '') write();
    this.y += size * 0.6;
  }

  /** Draws a rule below the last text, from the margin to `to`. */
  rule(to: number): void {
    this.document
      .moveTo(MARGIN, this.y - 3)
      .lineTo(to, this.y - 3)
      .lineWidth(0.5)
      .stroke(FAINT);
  }

  /** Numbers the pages and ends the document. */
  end(): Promise<Buffer> {
    const { count } = this.document.bufferedPageRange();
    for (let place = 0; place < count; place += 1) {
      this.document.switchToPage(place);
      this.y = this.document.page.height - MARGIN;
      const text = LABELS.page[this.language]
        .replace('{page}', String(place + 1))
        .replace('{pages}', String(count));
      // Text below the margin would start a new page.
      this.document.page.margins.bottom = 0;
      const width = this.document.page.width - 2 * MARGIN;
      this.text(text, MARGIN, { width, isRight: true, colour: FAINT });
    }
    this.document.end();
    return this.#whole;
  }

  text(text: string, x: number, { size = SIZE, width, isRight = false, colour = INK }: Look = {}): void {
    const document = this.document.fontSize(size).fillColor(colour);
    const runs = this.#runs(text);
    const whole = runs.reduce((sum, { wide }) => sum + wide, 0);
    // Text wider than its column is scaled down, so that no figure is cut off.
    const shrink = width !== undefined && whole > width - 4 ? (width - 4) / whole : 1;
    document.fontSize(size * shrink);
    let at = isRight && width !== undefined ? x + width - whole * shrink : x;
    for (const { name, stretch, wide } of runs) {
      document.font(name).text(stretch, at, this.y, { lineBreak: false });
      at += wide * shrink;
    }
  }

  #wide(text: string, size: number): number {
    this.document.fontSize(size);
    return this.#runs(text).reduce((sum, { wide }) => sum + wide, 0);
  }

  #runs(text: string): { name: string; stretch: string; wide: number }[] {
    return this.#font.runsOf(text).map(({ font, name, text: stretch }) => {
      this.document.registerFont(name, font).font(name);
      return { name, stretch, wide: this.document.widthOfString(stretch) };
    });
  }

  /** The house's logo at the right edge: an octagon and the name. */
  #mark(): void {
    const document = this.document;
    const right = document.page.width - MARGIN;
    this.text('Fairtick', right - 80, { size: 12, width: 80, isRight: true });
    const [x, y, radius] = [right - 64, this.y + 8.5, 7];
    const corners = Array.from({ length: 8 }, (_, place) => {
      const angle = Math.PI / 8 + (place * Math.PI) / 4;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as [number, number];
    });
    document
      .polygon(...corners)
      .lineWidth(1.4)
      .stroke(INK);
  }
}
