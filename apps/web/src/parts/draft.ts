import { newKey } from '@fairtick/ui/keys';
import type { FormOptions } from '@fairtick/ui/use-form';
import { useEffect, useRef } from 'react';
import type { MessageId } from '../messages/text.ts';
import { onSessionEnd } from '../state/session-lifecycle.ts';
import { type Fault, useForm } from './use-form.ts';

/** Unsent form contents, kept while the page lives. Never contains a password. */
const drafts = new Map<string, unknown>();
/** The content last sent by each form and its idempotency key. Never contains a password. */
const sent = new Map<string, { readonly content: string; readonly key: string }>();
onSessionEnd(() => {
  drafts.clear();
  sent.clear();
});

/**
 * The idempotency key for a form's content. The same content gets the same key, also when the reader leaves without an answer and
 * comes back: it counts once.
 */
export function keyFor(name: string, content: string): string {
  const before = sent.get(name);
  if (before?.content === content) return before.key;
  const key = newKey();
  sent.set(name, { content, key });
  return key;
}

/** Whether exactly this content was sent without a known success; only the server knows its outcome. */
export const wasSent = (name: string, content: string): boolean => sent.get(name)?.content === content;

export function forgetDraft(name: string): void {
  drafts.delete(name);
  sent.delete(name);
}

export function useDraft<Values extends object>(
  name: string,
  options: Omit<FormOptions<Values, keyof Values & string, MessageId | Fault>, 'values'> & {
    readonly values: Values;
    /** Selects what is kept; by default all. */
    readonly kept?: (values: Values) => Values;
  },
) {
  const { kept = (values: Values) => values, ...others } = options;
  const values = (drafts.get(name) as Values | undefined) ?? options.values;
  const form = useForm<Values>({ ...others, values });
  const seen = useRef(form.values);
  useEffect(() => {
    if (form.values === seen.current) return;
    seen.current = form.values;
    drafts.set(name, kept(form.values));
  });
  return { ...form, forget: () => forgetDraft(name) };
}
