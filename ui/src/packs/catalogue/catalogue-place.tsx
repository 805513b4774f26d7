import { type ComponentProps, useState } from 'react';
import { Dialog } from '../../kit/dialog.tsx';
import { Icon } from '../../kit/icon.tsx';
import { useWidth } from '../../memory/list/use-width.ts';
import { useNameOf } from '../../pipelines/pipeline-queries.ts';
import { strings } from '../../strings.ts';
import { Catalogue } from './catalogue.tsx';

const text = strings.packs;
const PHONE_PX = 760;

/** The catalogue beside what is open; on a phone a button that opens it as a sheet. */
export function CataloguePlace(props: Omit<ComponentProps<typeof Catalogue>, 'onChoose'>) {
  const phone = useWidth() <= PHONE_PX;
  const [shown, setShown] = useState(false);
  const nameOf = useNameOf();
  const { pack, pipeline } = props.open;
  if (!phone) return <Catalogue {...props} />;
  const close = () => setShown(false);
  return (
    <div className="catalogue-button">
      <button type="button" className="btn" aria-haspopup="dialog" onClick={() => setShown(true)}>
        <Icon name="cube" small />
        <span className="cut grow">
          {pipeline === undefined ? (pack ?? text.choose) : nameOf('pipeline', pipeline)}
        </span>
        <Icon name="filter" small />
      </button>
      {shown && (
        <Dialog label={text.catalogue} className="sheet catalogue-sheet" onClose={close}>
          <div className="row between">
            <h2>{text.title}</h2>
            <button
              type="button"
              className="btn btn-ghost btn-s btn-icon"
              aria-label={text.closeCatalogue}
              onClick={close}
            >
              <Icon name="close" />
            </button>
          </div>
          <Catalogue {...props} onChoose={close} />
        </Dialog>
      )}
    </div>
  );
}
