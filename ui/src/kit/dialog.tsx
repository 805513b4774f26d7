import { type ReactNode, useEffect, useRef } from 'react';

interface DialogProps {
  label: string;
  className: string;
  onClose(): void;
  children: ReactNode;
}

/** The browser's native modal dialog, which traps the focus and returns it on close. */
export function Dialog({ label, className, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={className}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
