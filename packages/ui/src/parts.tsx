import type {
  ButtonHTMLAttributes,
  CSSProperties,
  HTMLAttributes,
  KeyboardEvent,
  ReactNode,
  Ref,
} from 'react';
import { useCallback, useId, useLayoutEffect, useRef } from 'react';
import { useDeliberate } from './deliberate.ts';
import { FaultIcon } from './icons.tsx';
import css from './parts.module.css';

/**
 * Marks a value with digits, such as a price, an amount, a time, an order's number or an address: a browser's translator must leave
 * it as it is.
 */
export const exact = (value: ReactNode): { readonly translate?: 'no' } =>
  typeof value === 'string' && /\d/.test(value) ? { translate: 'no' } : {};

export type Way = 'up' | 'down' | 'none';

/** A direction: an arrow and a colour, with its word or number. */
export function DirectionMark({
  way,
  children,
  className = '',
}: {
  way: Way;
  children?: ReactNode;
  className?: string;
}) {
  return (
    <span className={`${css.direction} ${className}`} data-direction={way} {...exact(children)}>
      {children}
    </span>
  );
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly ref?: Ref<HTMLButtonElement>;
  /** `bad` is for what cannot be undone. */
  readonly look?: 'gold' | 'line' | 'quiet' | 'bad';
  readonly size?: 'small' | 'normal';
  readonly isBlock?: boolean;
  /** Whether a press decides, for instance moves money: it then takes deliberate presses only. By default gold and `bad` do. */
  readonly decides?: boolean;
  /** Names what a press does, if that can change while the button is shown. */
  readonly meaning?: string;
};

/** A button. {@link useDeliberate} has the rules of one that decides. */
export function Button({
  look = 'line',
  size = 'normal',
  isBlock = false,
  className = '',
  decides = look === 'gold' || look === 'bad',
  meaning = '',
  ref,
  onClick,
  ...rest
}: ButtonProps) {
  const keptFocus = useKeptFocus(rest.disabled ?? false, ref);
  const { isQuiet, takes } = useDeliberate(decides ? meaning : null);
  return (
    <button
      ref={keptFocus}
      type="button"
      className={`${css.button} ${className}`}
      data-look={look}
      data-size={size}
      data-block={isBlock || undefined}
      aria-disabled={isQuiet || undefined}
      // Without the default action, a submit button does not send its form, not even for Enter in a field.
      onClick={(event) => (takes(event) ? onClick?.(event) : event.preventDefault())}
      {...rest}
    />
  );
}

/**
 * Disabling a button while it sends drops the keyboard focus: the hook restores it afterwards, unless another element took it.
 */
function useKeptFocus(isDisabled: boolean, ref: Ref<HTMLButtonElement> | undefined) {
  const own = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const isHere = document.activeElement === own.current;
    if (!isDisabled && hadFocus.current && document.activeElement === document.body) own.current?.focus();
    hadFocus.current = isDisabled && isHere;
  }, [isDisabled]);
  return useCallback(
    (element: HTMLButtonElement | null) => {
      own.current = element;
      if (typeof ref === 'function') ref(element);
      else if (ref) ref.current = element;
    },
    [ref],
  );
}

/** The same shape for a link. */
export const buttonClass: string = css.button ?? '';

export function IconButton({
  label,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { label: string }) {
  return (
    <button
      type="button"
      className={`centred ink-2 ${css.iconButton} ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    />
  );
}

export function Tag({
  look = 'plain',
  children,
}: {
  look?: 'plain' | 'outline' | 'warn' | 'bad';
  children: ReactNode;
}) {
  return (
    <span className={`inline-row gap-4 text-11 ink-2 nowrap ${css.tag}`} data-look={look}>
      {children}
    </span>
  );
}

export function Card({ className = '', ...rest }: HTMLAttributes<HTMLDivElement>) {
  return <div className={`card ${className}`} {...rest} />;
}

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: ReactNode;
}

/** A radio button under its words. They are its name and nothing else: a screen reader would read words beside it a second time. */
export function RadioOption(props: {
  name: string;
  value: string;
  isChecked: boolean;
  isInvalid?: boolean;
  onChange: () => void;
  className: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <label className={props.className} data-value={props.value} data-checked={props.isChecked || undefined}>
      <input
        type="radio"
        className="cover"
        name={props.name}
        value={props.value}
        checked={props.isChecked}
        aria-labelledby={id}
        aria-invalid={props.isInvalid || undefined}
        onChange={props.onChange}
      />
      <span id={id} className={css.words} aria-hidden="true">
        {props.children}
      </span>
    </label>
  );
}

/** A choice of one among a few: a group of radio buttons in the shape of a segmented control. */
export function Segments<T extends string>(props: {
  label: string;
  name: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
  className?: string;
}) {
  return (
    <fieldset className={`${css.segments} ${props.className ?? ''}`}>
      <legend className="sr">{props.label}</legend>
      {props.choices.map((choice) => (
        <RadioOption
          key={choice.value}
          className={`row justify-center gap-6 ink-2 ${css.segment}`}
          name={props.name}
          value={choice.value}
          isChecked={choice.value === props.value}
          onChange={() => props.onChange(choice.value)}
        >
          {choice.label}
        </RadioOption>
      ))}
    </fieldset>
  );
}

/** Underlined tabs with arrow keys; the caller renders the panel, labelled by `${id}-${value}`. */
export function Tabs<T extends string>(props: {
  label: string;
  value: T;
  tabs: readonly { readonly value: T; readonly label: string; readonly mark?: ReactNode }[];
  onChange: (value: T) => void;
  id?: string;
  className?: string;
}) {
  const ownId = useId();
  const id = props.id ?? ownId;
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const { length } = props.tabs;
    const at = props.tabs.findIndex((tab) => tab.value === props.value);
    const to = {
      ArrowRight: (at + 1) % length,
      ArrowLeft: (at + length - 1) % length,
      Home: 0,
      End: length - 1,
    }[event.key];
    const next = to === undefined ? undefined : props.tabs[to];
    if (!next) return;
    event.preventDefault();
    props.onChange(next.value);
    event.currentTarget.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={props.label}
      className={`flex rigid gap-20 scroll-x line-below ${css.tabs} ${props.className ?? ''}`}
      onKeyDown={move}
    >
      {props.tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          id={`${id}-${tab.value}`}
          data-value={tab.value}
          data-label={tab.label}
          aria-selected={tab.value === props.value}
          tabIndex={tab.value === props.value ? 0 : -1}
          className={`rigid ink-3 nowrap touch ${css.tabButton}`}
          onClick={() => props.onChange(tab.value)}
        >
          {tab.label}
          {tab.mark}
        </button>
      ))}
    </div>
  );
}

/** Names and values. */
export function Facts({
  columns = 2,
  className = '',
  children,
}: {
  columns?: 1 | 2;
  className?: string;
  children: ReactNode;
}) {
  return (
    <dl className={`halves ${css.facts} ${className}`} data-columns={columns}>
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={`flex between min-0 gap-8 text-13 ${css.fact}`}>
      <dt className="ellipsis ink-3">{name}</dt>
      <dd {...exact(children)}>{children}</dd>
    </div>
  );
}

/** A ruler of `units` ticks with a mark at `share` (0 to 1); the ticks before it in gold if `isFilled`. */
export function Ruler({
  units,
  share,
  isFilled = true,
}: {
  units: number;
  share: number;
  isFilled?: boolean;
}) {
  const style = { '--units': units, '--share': `${Math.min(1, Math.max(0, share)) * 100}%` } as CSSProperties;
  return (
    <div className={css.ruler} style={style} aria-hidden="true">
      {isFilled && <i />}
      <b />
    </div>
  );
}

/** An empty state: an icon, a sentence, and what will appear here. */
export function Empty({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className={`note flex-column gap-4 text-center ${css.empty}`}>
      {icon}
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function Skeleton({ width, height = 16 }: { width: number | string; height?: number }) {
  return <span className={css.skeleton} style={{ width, height }} aria-hidden="true" />;
}

/** A message to the reader, with an icon, so that colour is never the only signal. */
export function Notice({ look = 'info', children }: { look?: 'info' | 'warn' | 'bad'; children: ReactNode }) {
  return (
    <div className={`row gap-10 py-10 px-14 text-13 ${css.notice}`} data-look={look} role="status">
      <FaultIcon size={18} />
      <span>{children}</span>
    </div>
  );
}
