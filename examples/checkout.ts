// Checkout of the shop's web page: from a cart to an order.

export interface CartItem {
  sku: string;
  name: string;
  price: number;
  count: number;
}

export interface Order {
  items: CartItem[];
  shipping: number;
  total: number;
}

const FREE_SHIPPING_FROM = 80;

export function placeOrder(items: CartItem[], coupon?: string): Order {
  let total = 0;
  for (const item of items) {
    total += item.price * item.count;
  }
  if (coupon === "WINTER") {
    total = total * 0.9;
  }
  const shipping = total >= FREE_SHIPPING_FROM ? 0 : 6.5;
  return { items, shipping, total: total + shipping };
}

export class Cart {
  private items: CartItem[] = [];

  add(item: CartItem) {
    this.items.push(item);
  }

  remove(sku: string) {
    this.items = this.items.filter((item) => item.sku !== sku);
  }

  count() {
    return this.items.reduce((sum, item) => sum + item.count, 0);
  }
}
