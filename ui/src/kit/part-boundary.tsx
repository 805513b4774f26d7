import { Component, type ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Icon } from './icon.tsx';

const text = strings.errors;

interface PartBoundaryProps {
  children: ReactNode;
  onRetry?(): void;
}

/** Shows a note in place of a part of the app that failed; the rest of the app stays as it is. */
export class PartBoundary extends Component<PartBoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  retry = (): void => {
    this.props.onRetry?.();
    this.setState({ failed: false });
  };

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="empty m-auto" role="alert">
        <Icon name="warn" />
        <h2>{text.partFailed}</h2>
        <p>{text.partFailedText}</p>
        <div className="row mt-2">
          <button type="button" className="btn btn-primary" onClick={this.retry}>
            {text.tryAgain}
          </button>
          <button type="button" className="btn" onClick={() => location.reload()}>
            {text.reload}
          </button>
        </div>
      </div>
    );
  }
}
