import type { Language } from '@fairtick/protocol';
import { PdfSheet } from './pdf-sheet.ts';
import { LABELS } from './statement.ts';
import { StatementFont } from './statement-font.ts';

export interface PlainText {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A text as PDF, a paragraph for each line, with a JSON document attached if there is one. */
export async function textPdf(
  { title, lines }: PlainText,
  language: Language,
  attached: { readonly name: string; readonly json: string } | null,
): Promise<Buffer> {
  const font = await StatementFont.for([title, ...lines, LABELS.page[language]]);
  const sheet = new PdfSheet(font, language, title);
  for (const line of lines) sheet.paragraph(line);
  if (attached) {
    const { name, json } = attached;
    sheet.document.file(Buffer.from(json), { name, type: 'application/json', description: title });
  }
  return sheet.end();
}
