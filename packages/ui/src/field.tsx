import { type ReactNode, useId } from 'react';
import css from './field.module.css';
import { DownIcon, FaultIcon } from './icons.tsx';

/** Label, control, and below it a hint or the error. The control gets `id` and the describing ids. */
export function Field(props: {
  label: string;
  aside?: ReactNode;
  hint?: string | undefined;
  fault?: string | null | undefined;
  isSelect?: boolean;
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
  end?: ReactNode;
}) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = props.fault ?? props.hint;
  return (
    <div className="block min-0">
      <div className={`secondary flex between wrap mb-8 ${css.label}`}>
        <label htmlFor={id}>{props.label}</label>
        {props.aside}
      </div>
      <div className={`framed row px-16 ${css.control}`} data-fault={props.fault ? '' : undefined}>
        {props.children({
          id,
          'aria-describedby': note ? noteId : undefined,
          'aria-invalid': props.fault ? true : undefined,
        })}
        {props.isSelect && <DownIcon size={20} className={css.chevron} />}
        {props.end}
      </div>
      {props.fault ? (
        <FaultNote id={noteId}>{props.fault}</FaultNote>
      ) : (
        props.hint && (
          <p id={noteId} className="note mt-8">
            {props.hint}
          </p>
        )
      )}
    </div>
  );
}

/** The fault of a control, below it. */
export function FaultNote({
  id,
  className = '',
  children,
}: {
  id?: string;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <p id={id} className={`with-icon flex items-start gap-6 mt-8 text-13 bad ${className}`} role="alert">
      <FaultIcon size={16} />
      {children}
    </p>
  );
}
