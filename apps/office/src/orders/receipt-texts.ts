import type { Language } from '@fairtick/protocol/languages';
import { untilLoaded } from '@fairtick/ui/load-code';
import type receipt from '@fairtick/ui/messages/receipt/zh.json';
import type { ReceiptText } from '@fairtick/ui/receipt';
import type { Messages } from '@lingui/core';
import { createText } from '../messages/text.ts';
import { grouped, readable } from '../state/amounts.ts';
import { formatTime } from '../state/format.ts';

const LOADERS: Readonly<Record<Language, () => Promise<{ default: unknown }>>> = {
  zh: () => import('@fairtick/ui/messages/receipt/zh.json'),
  tw: () => import('@fairtick/ui/messages/receipt/tw.json'),
  en: () => import('@fairtick/ui/messages/receipt/en.json'),
};
const loaded = new Map<Language, Promise<ReceiptText>>();

/** The texts of a receipt in the reader's language, with the office's formats. They load once. */
export function receiptTextOf(language: Language): Promise<ReceiptText> {
  const text = loaded.get(language) ?? load(language);
  loaded.set(language, text);
  return text;
}

async function load(language: Language): Promise<ReceiptText> {
  const catalogue = await untilLoaded(LOADERS[language]);
  const { t } = createText<keyof typeof receipt>(language, catalogue.default as Messages);
  return {
    t,
    amount: readable,
    price: grouped,
    count: (count) => grouped(String(count)),
    time: (ms) => `${formatTime(ms)}.${String(ms % 1_000).padStart(3, '0')}`,
  };
}
