import { Component, type ReactNode, useEffect, useRef } from 'react';
import { FaultIcon } from './icons.tsx';
import { StaleCodeError } from './load-code.ts';
import css from './parts.module.css';
import { Button, Empty } from './parts.tsx';
import { fillTyped, followTyped, readTyped, storeTyped, takeTyped } from './typed-text.ts';

const FAULT_TEXTS = ['title', 'text', 'staleTitle', 'staleText', 'again', 'reload'] as const;

/** The texts of a screen that failed. The stale ones are for a part of the app's code that could not be fetched. */
export type FaultTexts = Readonly<Record<(typeof FAULT_TEXTS)[number], string>>;

/** Reads them from an app's messages. */
export const faultTexts = (t: (key: `failed.${keyof FaultTexts}`) => string): FaultTexts =>
  Object.fromEntries(FAULT_TEXTS.map((key) => [key, t(`failed.${key}`)])) as FaultTexts;

interface Props {
  /** Names the screen and its reader: what was typed is filled in again for both only. */
  readonly screen: string;
  /** The element whose fields are the screen's; null for a frame around screens with boundaries of their own. */
  readonly root: () => Element | null;
  readonly texts: FaultTexts;
  readonly children: ReactNode;
}

interface State {
  readonly fault: { readonly error: unknown } | null;
}

/**
 * Keeps a fault to its screen, which offers to try again and to reload. Both fill in again what was typed; `typed-text.ts` names
 * what is never kept.
 */
export class FaultBoundary extends Component<Props, State> {
  override state: State = { fault: null };
  #stops: (() => void)[] = [];

  static getDerivedStateFromError(error: unknown): State {
    return { fault: { error } };
  }

  /** React calls this also when it shows a hidden screen again, which then gets another try. */
  override componentDidMount(): void {
    const { screen, root } = this.props;
    this.#stops = [followTyped(screen, () => readTyped(root()))];
    this.#fill();
    if (this.state.fault !== null) this.setState({ fault: null });
  }

  /** Called before React removes the fields of the failed screen. */
  override getSnapshotBeforeUpdate(_: Props, before: State): null {
    if (before.fault === null && this.state.fault !== null) storeTyped();
    return null;
  }

  override componentDidUpdate(_: Props, before: State): void {
    if (before.fault !== null && this.state.fault === null) this.#fill();
  }

  override componentWillUnmount(): void {
    for (const stop of this.#stops) stop();
  }

  #fill(): void {
    this.#stops.push(fillTyped(this.props.root(), takeTyped(this.props.screen)));
  }

  override render(): ReactNode {
    const { texts, children } = this.props;
    const { fault } = this.state;
    if (fault === null) return children;
    const isStale = fault.error instanceof StaleCodeError;
    return (
      <Fault title={isStale ? texts.staleTitle : texts.title} text={isStale ? texts.staleText : texts.text}>
        {/* A browser remembers a part that could not be fetched, so trying again would not help. */}
        {!isStale && <Button onClick={() => this.setState({ fault: null })}>{texts.again}</Button>}
        <Button onClick={reload}>{texts.reload}</Button>
      </Fault>
    );
  }
}

function reload(): void {
  storeTyped();
  location.reload();
}

function Fault({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <div ref={ref} role="alert" tabIndex={-1} className={css.broken}>
      <Empty icon={<FaultIcon size={28} />} title={title}>
        {text}
        <div className="flex justify-center wrap gap-8 mt-12">{children}</div>
      </Empty>
    </div>
  );
}

/** Logs a fault that a boundary has caught: where, and never the message, which may contain what was typed. */
export function logFault(
  error: unknown,
  { componentStack }: { readonly componentStack?: string | null | undefined },
): void {
  const { name = 'a value', message = '', stack = '' } = error instanceof Error ? error : {};
  const places = stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s*at |@/.test(line));
  console.error(`A screen failed: ${name}\n${places.join('\n')}\n${componentStack ?? ''}`);
}
