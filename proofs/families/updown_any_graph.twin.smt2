; Up*/down* on any graph without "down once, down for good": routes that nobody ordered, on three switches in a ring.
;
; The loop: three switches a, b, c in a ring; packet i enters at one, passes the next and leaves at the third.
; pi_0, pi_1, pi_2 are the switches of packet i in order; hi and gi are the hosts that send and receive.
(set-info :status sat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun place (Node) Int)
(define-fun up ((s Node) (n Node)) Bool (> (place s) (place n)))
(define-fun down ((s Node) (n Node)) Bool (< (place s) (place n)))
(define-fun hop ((s Node) (n Node)) Bool (and
    (distinct (place s) (place n)) ; a cable joins two nodes, and no two have one place: the order is total
  ))
(define-fun turn ((x Node) (y Node) (z Node)) Bool (and
    (hop x y)
    (hop y z)
  ))
; == The loop
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p2_0 Node)
(declare-const p2_1 Node)
(declare-const p2_2 Node)
(declare-const h0 Node)
(declare-const h1 Node)
(declare-const h2 Node)
(declare-const g0 Node)
(declare-const g1 Node)
(declare-const g2 Node)
(assert (distinct p0_0 p0_1 p0_2 h0 h1 h2 g0 g1 g2))
(assert (and (= p1_0 p0_1) (= p2_0 p1_1 p0_2) (= p1_2 p2_1 p0_0) (= p2_2 p0_1)))
(assert (and (< (place p0_0) (place h0)) (< (place p0_1) (place h0)) (< (place p0_2) (place h0))))
(assert (< (place h0) (place h1) (place h2) (place g0) (place g1) (place g2)))
(assert (and (turn h0 p0_0 p0_1) (turn p0_0 p0_1 p0_2) (turn p0_1 p0_2 g0)))
(assert (and (turn h1 p1_0 p1_1) (turn p1_0 p1_1 p1_2) (turn p1_1 p1_2 g1)))
(assert (and (turn h2 p2_0 p2_1) (turn p2_0 p2_1 p2_2) (turn p2_1 p2_2 g2)))
(check-sat)
