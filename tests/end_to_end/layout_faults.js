// SPDX-License-Identifier: Apache-2.0
// What a person would see to be wrong in how a page is laid out, told by where its texts stand: a list of sentences.
() => {
    const SLACK = 2; // CSS pixels
    const ONE_LINE = 0.25; // of a line's height above and below its letters, where lines may touch
    const READERS_ONLY = 2; // a box no larger is for screen readers

    const shows = one => one.checkVisibility({opacityProperty: true, visibilityProperty: true});
    const layer = one => {
        for (let at = one; at; at = at.parentElement)
            if (['fixed', 'sticky'].includes(getComputedStyle(at).position)
                || at.matches('[data-portal], .chart-tip')) return at;
        return document.body;
    };
    const ancestors = function* (one) {
        for (let at = one; at && at !== document.body; at = at.parentElement) yield at;
    };
    const cuts = style => [style.overflowX, style.overflowY].some(way => way !== 'visible');
    // A drawing in a drawing cuts at its own frame, which getBoundingClientRect does not tell: it has the content's.
    const frameOf = one => {
        if (!one.ownerSVGElement || one.tagName !== 'svg') return one.getBoundingClientRect();
        const {a, d, e, f} = one.getScreenCTM(), {width, height} = one;
        return {left: e, top: f, right: e + a * width.baseVal.value, bottom: f + d * height.baseVal.value};
    };
    const meet = (a, b) => ({
        left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
        top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom),
    });
    const wide = box => box.right - box.left;
    const high = box => box.bottom - box.top;

    // A line of text as far as the boxes around it let it be seen, and the one that cuts it off unsaid.
    const seen = (line, parent) => {
        let shown = meet(line, line), cutBy = null, said = false;
        for (const at of ancestors(parent)) {
            const style = getComputedStyle(at);
            said ||= style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
                || at.hasAttribute('title') || at.querySelector(':scope > title') !== null
                || (at.ownerSVGElement && at.parentElement.querySelector(':scope > title') !== null);
            if (!cuts(style) || (style.display === 'inline' && !(at instanceof SVGElement))) continue;
            const box = frameOf(at);
            if (wide(box) <= READERS_ONLY || high(box) <= READERS_ONLY) return {shown: null};
            const left = meet(shown, box);
            const lost = Math.max(wide(shown) - wide(left), high(shown) - high(left) - ONE_LINE * high(shown));
            const scrolls = [style.overflowX, style.overflowY].some(way => way === 'auto' || way === 'scroll');
            if (scrolls) said = true;
            if (lost > SLACK && !said) cutBy ??= at;
            shown = left;
        }
        return {shown: wide(shown) > SLACK && high(shown) > SLACK ? shown : null, cutBy};
    };

    const linesOf = node => {
        const parent = node.parentElement;
        if (parent instanceof SVGElement) return [parent.getBoundingClientRect()];
        const range = document.createRange();
        range.selectNodeContents(node);
        return [...range.getClientRects()];
    };
    const word = text => JSON.stringify(text.trim().replace(/\s+/g, ' ').slice(0, 40));

    const faults = [], texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.data.trim() || parent.closest('script, style, title, noscript') || !shows(parent)) continue;
        const ground = layer(parent);
        for (const line of linesOf(node)) {
            const {shown, cutBy} = seen(line, parent);
            if (cutBy) faults.push(`${word(node.data)} is cut off by ${cutBy.outerHTML.slice(0, 100)}`);
            if (!shown || shown.right <= 0) continue;
            if (shown.left < -SLACK) faults.push(`${word(node.data)} begins left of the window`);
            const rim = ONE_LINE * high(shown);
            texts.push({...shown, top: shown.top + rim, bottom: shown.bottom - rim, node, ground, whose: parent.closest('text') ?? node});
        }
    }
    for (const field of document.querySelectorAll('input, textarea'))
        if (shows(field) && field.readOnly && field.scrollWidth > field.clientWidth + SLACK && !field.title
            && getComputedStyle(field).textOverflow !== 'ellipsis')
            faults.push(`${word(field.value)} is cut off by its field`);

    texts.sort((a, b) => a.top - b.top);
    texts.forEach((one, place) => {
        for (let next = place + 1; next < texts.length && texts[next].top < one.bottom - 1; next++) {
            const other = texts[next], both = meet(one, other);
            if (other.whose !== one.whose && other.ground === one.ground && wide(both) > SLACK && high(both) > 1)
                faults.push(`${word(one.node.data)} and ${word(other.node.data)} overlap`);
        }
    });
    return [...new Set(faults)];
}
