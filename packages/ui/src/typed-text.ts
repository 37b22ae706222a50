/** The texts typed on a screen, by field. */
type Typed = Readonly<Record<string, string>>;
type Typing = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const KEY = 'typed';
/** Text kept for a reload is not filled in later: the next person at this device may be another one. */
const LIFETIME_MS = 10 * 60_000;
/** How long kept text waits for its field, which may be in a dialog that the reader has to open. */
const PATIENCE_MS = 120_000;
/** Fields whose text is never kept: passwords, codes and card numbers, which are fields of digits, and pictures. */
const SECRET =
  ':is([type=password], [type=file], [type=hidden], [inputmode=numeric], [autocomplete*=password], [autocomplete=one-time-code], [autocomplete^=cc-])';

function fieldsOf(root: Element): Map<string, Typing> {
  const fields = new Map<string, Typing>();
  for (const field of root.querySelectorAll<Typing>(
    `:is(input, select, textarea):not(${SECRET}, :disabled, [readonly])`,
  )) {
    const label = field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? '';
    for (let same = 0; ; same += 1) {
      const name = `${field.name} ${label} ${same}`;
      if (fields.has(name)) continue;
      fields.set(name, field);
      break;
    }
  }
  return fields;
}

const isChoice = (field: Typing) => field.type === 'radio' || field.type === 'checkbox';

export function readTyped(root: Element | null): Typed {
  if (root === null) return {};
  const typed = [...fieldsOf(root)].flatMap(([name, field]) => {
    if (!isChoice(field)) return field.value === '' ? [] : [[name, field.value]];
    return (field as HTMLInputElement).checked ? [[name, 'on']] : [];
  });
  return Object.fromEntries(typed);
}

/** Fills in what was typed, in fields that come within {@link PATIENCE_MS}, until the returned function is called. */
export function fillTyped(root: Element | null, typed: Typed): () => void {
  const left = new Map(Object.entries(typed));
  if (root === null || left.size === 0) return () => {};
  const fill = () => {
    for (const [name, field] of fieldsOf(root)) {
      const value = left.get(name);
      if (value === undefined) continue;
      left.delete(name);
      setValue(field, value);
    }
    if (left.size === 0) observer.disconnect();
  };
  const observer = new MutationObserver(fill);
  observer.observe(root, { childList: true, subtree: true });
  const timer = setTimeout(() => observer.disconnect(), PATIENCE_MS);
  fill();
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}

/** Sets a field as a reader does. React overrides `value` of its fields, so the prototype's own setter is used. */
function setValue(field: Typing, value: string): void {
  if (isChoice(field)) {
    if (!(field as HTMLInputElement).checked) field.click();
    return;
  }
  if (field.value === value) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}

/**
 * Tells React what a password manager has filled in without an event. React keeps a field's `defaultValue` at the value that it knows.
 * @returns whether there was such a field
 */
export function takeFilled(form: Element): boolean {
  const fields = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    ':is(input:not([type=checkbox], [type=radio], [type=file], [type=hidden]), textarea)',
  );
  const filled = [...fields].filter((field) => field.value !== field.defaultValue);
  for (const field of filled) {
    const { value } = field;
    // By React's own setter: it takes the event below for a change only if it knows another value.
    field.value = `${value} `;
    setValue(field, value);
  }
  return filled.length > 0;
}

const screens = new Map<string, () => Typed>();

/** Lets {@link storeTyped} read a screen's text, until the returned function is called. */
export function followTyped(screen: string, read: () => Typed): () => void {
  screens.set(screen, read);
  return () => screens.delete(screen);
}

/** Keeps what is typed on all screens, for the time after a fault or a reload. */
export function storeTyped(): void {
  const read = [...screens].map(([screen, of]) => [screen, of()] as const);
  const typed = Object.fromEntries(read.filter(([, own]) => Object.keys(own).length > 0));
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ typed: { ...readKept(), ...typed }, atMs: Date.now() }));
  } catch {
    // Storage is full or forbidden: the fields are empty afterwards.
  }
}

/** Takes what was typed on a screen, once. */
export function takeTyped(screen: string): Typed {
  const { [screen]: own, ...others } = readKept();
  if (own === undefined) return {};
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ typed: others, atMs: Date.now() }));
  } catch {
    // The storage is there, because the text was read from it. If it is full, the next reload fills in the text again.
  }
  return own;
}

/** Forgets it, at the end of a session. */
export function forgetTyped(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Storage is forbidden, so there is nothing to forget.
  }
}

function readKept(): Readonly<Record<string, Typed>> {
  try {
    const { typed, atMs } = JSON.parse(sessionStorage.getItem(KEY) ?? '');
    return Date.now() - atMs < LIFETIME_MS ? typed : {};
  } catch {
    return {};
  }
}
