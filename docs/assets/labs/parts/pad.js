// A transparent field over a part of the picture that is pressed or dragged.

const SVG = "http://www.w3.org/2000/svg";

/**
 * move(x, y) is called while the field is dragged, 0 .. 1 from its left and
 * its top and beyond when the pointer leaves it. `along`: it is only dragged
 * sideways, so that a finger can still scroll the page across it.
 */
export function pad(svg, title, move, { along = false } = {}) {
  const field = document.createElementNS(SVG, "rect");
  field.setAttribute("class", along ? "pad along" : "pad");
  field.append(document.createElementNS(SVG, "title"));
  field.firstChild.textContent = title;
  svg.append(field);
  const moved = ({ clientX, clientY }) => {
    const { left, top, width, height } = field.getBoundingClientRect();
    move((clientX - left) / width, (clientY - top) / height);
  };
  field.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    field.setPointerCapture(event.pointerId);
    moved(event);
  });
  field.addEventListener("pointermove", (event) => {
    if (field.hasPointerCapture(event.pointerId)) moved(event);
  });
  return {
    place({ left, right, top, bottom }) {
      field.setAttribute("x", left);
      field.setAttribute("y", top);
      field.setAttribute("width", right - left);
      field.setAttribute("height", bottom - top);
    },
  };
}
