import { strings } from '../../strings.ts';

const text = strings.memory;

/** The foot of the list: the state of the live connection and a few hotkeys. */
export function ListFoot({ live, writes }: { live: boolean; writes: boolean }) {
  return (
    <div className="list-foot">
      <span>
        <kbd>J</kbd>
        <kbd>K</kbd> {text.keysMove}
      </span>
      {writes && (
        <>
          <span>
            <kbd>E</kbd> {text.keysEdit}
          </span>
          <span>
            <kbd>R</kbd> {text.keysRenew}
          </span>
          <span>
            <kbd>⌫</kbd> {text.keysForget}
          </span>
          <span>
            <kbd>X</kbd> {text.keysSelect}
          </span>
        </>
      )}
      <span>
        <kbd>?</kbd> {text.keysHelp}
      </span>
      <span className="ml-auto">
        <span className={`dot ${live ? 'dot-ok' : ''}`} />
        {live ? text.live : text.offline}
      </span>
    </div>
  );
}
